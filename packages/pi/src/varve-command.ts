import { type Session, VarveError } from '@varve/core';
import type { HostRequest } from './host-request.ts';

/** Most lines of `why`. */
const mostLines = 30;

/**
 * Answers `/varve`: `status`, `context`, `compact [what matters]`, or `why [number of an entry]`.
 *
 * @param words  What stands behind the name of the command; nothing is `status`.
 */
export async function answerVarve(session: Session, words: string, request: HostRequest): Promise<string> {
  const [word = '', ...rest] = words.trim().split(/\s+/);
  if (word === 'why') return why(session, rest[0]);
  const reply = await session.command(`/${word === '' ? 'status' : words.trim()}`, {
    model: request.model,
    tools: request.tools.map((tool) => ({ ...tool, execute: unused })),
    sender: { id: 'pi', role: 'owner' },
  });
  return reply?.text ?? `There is no "${word}". Say: status, context, compact, or why.`;
}

/** What was not sent as it was said in the last prompt, or the verdict of one entry. */
async function why(session: Session, number: string | undefined): Promise<string> {
  const seq = number === undefined ? undefined : Number(number.replace(/^#/, ''));
  if (seq !== undefined && !(Number.isInteger(seq) && seq > 0)) return `"${number}" is no number of an entry.`;
  try {
    const { entries, tokens, budget } = await session.explain(seq === undefined ? {} : { seq });
    const shown = seq === undefined ? entries.filter(({ verdict }) => verdict.kind !== 'kept') : entries;
    const lines = shown.map(({ seq: at, role, verdict, preview }) => {
      const { kind, rule, by } = verdict;
      const reason = [rule, by].filter((one) => one !== undefined).join(', by ');
      return `#${at} ${role}: ${kind}${reason === '' ? '' : ` (${reason})`}: ${preview}`;
    });
    const more = lines.length > mostLines ? [`and ${lines.length - mostLines} more`] : [];
    const head = `The last prompt had ${tokens} tokens${budget === null ? '' : ` of ${budget}`}.`;
    return [head, ...(lines.length === 0 ? ['All was sent as it was said.'] : lines.slice(-mostLines)), ...more].join(
      '\n',
    );
  } catch (error) {
    if (VarveError.is(error, 'VARVE_ENTRY_UNKNOWN'))
      return seq === undefined ? 'No prompt has been made yet.' : error.message;
    throw error;
  }
}

/** The tools are named to be counted. */
async function unused(): Promise<never> {
  throw new Error('Tools of pi are run by pi.');
}
