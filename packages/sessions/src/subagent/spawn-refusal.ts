import { VarveError } from '@varve/core';

/** Why a sub-agent does not begin. */
export type SpawnRefusal = 'depth' | 'children' | 'running' | 'agent' | 'model';

/** The error of a sub-agent that does not begin. Its message is written for a model, too. */
export function spawnRefused(why: SpawnRefusal, message: string, fix: string): VarveError {
  return new VarveError('VARVE_SPAWN_REFUSED', message, { fix, details: { why } });
}
