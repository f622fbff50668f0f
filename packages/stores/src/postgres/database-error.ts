import { VarveError } from '@varve/core';

/**
 * States that pass: the connection was lost, the server ends, starts or has no connection left, the server has become a
 * standby, or another transaction was in the way.
 */
const passing = /^(08|53|40|57P0|25006)/;

/** States after which the connection is of no use any more. */
const fatal = /^(08|57P0|25006|XX)/;

/** The state that a server gave with an error, five letters or digits; `undefined` when no server answered. */
function stateOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object) ? code : undefined;
}

/** Whether the same may work in a moment. What no server has answered is a lost connection. */
export function isPassing(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== undefined) return passing.test(state);
  return !VarveError.is(error) && !isOfEndedPool(error);
}

/** Whether the statement can have been carried out all the same: the connection ended before the server said no. */
export function isUncertain(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined || fatal.test(state);
}

/** A pool that its owner has ended never gives a connection again. */
function isOfEndedPool(error: unknown): boolean {
  return error instanceof Error && error.message.includes('after calling end on the pool');
}

/** Wraps what a driver or a server threw in `VARVE_STORE_IO`; errors of Varve stay as they are. */
export function databaseError(error: unknown, doing: string): VarveError {
  if (VarveError.is(error)) return error;
  const state = stateOf(error);
  return new VarveError('VARVE_STORE_IO', `The database could not ${doing}: ${textOf(error)}.`, {
    fix: fixes[state ?? ''] ?? (state === undefined ? connectionFix : 'Look at the log of the server, then try again.'),
    cause: error,
    details: { state },
  });
}

const connectionFix = 'Check that the server runs and can be reached, then try again; what was acknowledged is there.';

const fixes: Readonly<Record<string, string>> = {
  '25006': 'Connect to the primary server: this one takes no writes.',
  '28P01': 'Check user and password of the pool.',
  '3D000': 'Create the database, or name another one in the options of the pool.',
  '42501': 'Give the user of the pool the rights to the tables of the schema, and CREATE in it for migrations.',
  '53100': 'Free disk space on the server, then try again.',
  '53300': 'Lower `max` of the pools, or raise max_connections of the server.',
  '57014': 'Raise statement_timeout, or find out what the statement waited for.',
};

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, '');
}
