import { VarveError } from '@varve/core';
import type { CompactCall, CompactResult } from './openclaw-api.ts';

/** Where OpenClaw has its own compaction for plugins; it is there when OpenClaw runs the plugin, and only then. */
const hostModule = 'openclaw/plugin-sdk/core';

/** Has OpenClaw compact its transcript itself. @throws VARVE_CONFIG_INVALID  where this version of it does not offer that. */
export async function delegateCompaction(call: CompactCall): Promise<CompactResult> {
  const { delegateCompactionToRuntime } = await loadHost();
  if (typeof delegateCompactionToRuntime !== 'function') throw unable();
  return delegateCompactionToRuntime(call);
}

async function loadHost(): Promise<{ readonly delegateCompactionToRuntime?: unknown }> {
  try {
    return await import(hostModule);
  } catch (cause) {
    throw unable(cause);
  }
}

function unable(cause?: unknown): VarveError {
  return new VarveError('VARVE_CONFIG_INVALID', 'This OpenClaw does not compact for plugins.', {
    fix: 'Set compaction to "own" in plugins.entries.varve.config, or use a newer OpenClaw.',
    details: { path: 'compaction' },
    cause,
  });
}
