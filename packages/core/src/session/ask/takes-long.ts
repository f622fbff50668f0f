import type { Session } from '../session.ts';
import { commandOfText } from './command-of-text.ts';

/**
 * Whether a text is a command that may take minutes, as core or the plugin that lists it says. For `@varve/sessions` and
 * gateways, which go on with the conversation meanwhile.
 *
 * @throws VARVE_OPTION_INVALID  for something that is no session.
 */
export function takesLong(session: Session, text: string): boolean {
  return commandOfText(session, text)?.line?.takesLong === true;
}
