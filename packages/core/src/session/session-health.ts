import type { Health } from '../plugins/health.ts';
import { compactionHealth } from './compact/compaction-breaker.ts';
import type { SessionRuntime } from './session-runtime.ts';

/** How a session is doing: its parts, and how automatic compactions went. Asked by `session.health()` and `/status`. */
export function sessionHealth(runtime: SessionRuntime): Health {
  const { ok, findings } = runtime.health.report();
  const compaction = compactionHealth(runtime);
  return { ok: ok && compaction.failures === 0 && !compaction.isBlocked, findings, compaction };
}
