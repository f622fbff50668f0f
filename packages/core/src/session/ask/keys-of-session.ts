import type { Session } from '../session.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/**
 * The keys under which messages were ingested, oldest first, as far back as the session knows them; those of what was
 * rewound are among them. For `@varve/sessions` and gateways.
 *
 * @throws VARVE_OPTION_INVALID  for something that is no session.
 */
export function keysOfSession(session: Session): readonly string[] {
  return runtimeOfSession(session)
    .journal.state()
    .keys.flat()
    .map(([key]) => key);
}
