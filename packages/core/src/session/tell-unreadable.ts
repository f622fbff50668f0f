import type { Clock } from '../clock.ts';
import { VarveError } from '../errors.ts';
import type { HealthRecord } from '../plugins/health.ts';
import type { Seq } from '../units.ts';

/** Entries that are told of, and those of them that are warned of: a journal may hold nothing else. */
const mostTold = 1_000;
const mostWarnings = 10;

/** Makes what tells of entries that cannot be read, of each once: a finding of the session's health, and a warning. */
export function tellUnreadable(options: {
  readonly health: HealthRecord;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}): (seq: Seq, why: string) => void {
  const { health, clock, warn } = options;
  const told = new Set<Seq>();
  return (seq, why) => {
    if (told.has(seq) || told.size === mostTold) return;
    told.add(seq);
    const error = unreadableError(seq, why);
    health.failed('core', 'journal', { error, at: clock.now(), skips: false });
    if (told.size <= mostWarnings) warn(error.message);
  };
}

/** What is said of an entry that cannot be read. */
export function unreadableError(seq: Seq, why: string): VarveError {
  return new VarveError('VARVE_ENTRY_UNREADABLE', `Entry #${seq} cannot be read and is passed over: ${why}.`, {
    fix: 'Nothing is lost: it stays in the journal. A version of Varve that knows it reads it.',
    details: { seq },
  });
}
