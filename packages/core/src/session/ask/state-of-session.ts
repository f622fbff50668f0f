import type { JsonValue } from '../../json-value.ts';
import type { Session } from '../session.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/** What holds in a session beside its messages. */
export interface StateOfSession {
  /** Settings, by name. */
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** Texts of the state slots that have one, by slot. */
  readonly state: Readonly<Record<string, string>>;
  /** The last record of each type, such as `sessions:spawned`. */
  readonly records: Readonly<Record<string, JsonValue>>;
}

/** Reads what another session may begin with. For `@varve/sessions`. @throws VARVE_OPTION_INVALID */
export function stateOfSession(session: Session): StateOfSession {
  const { settings, slots, records } = runtimeOfSession(session).journal.state();
  const texts = Object.entries(slots).flatMap(([slot, [newest]]) => {
    const text = newest?.text ?? null;
    return text === null ? [] : [[slot, text] as const];
  });
  const newest = Object.entries(records).map(([type, { data }]) => [type, data] as const);
  return { settings, state: Object.fromEntries(texts), records: Object.fromEntries(newest) };
}
