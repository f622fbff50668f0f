import type { Report } from './check-prompt.ts';
import type { SeenEvent, SeenMessage, SeenPart, SeenPrompt } from './observation.ts';
import { type BodyPiece, readBody } from './read-body.ts';

type Body = Extract<SeenEvent, { readonly kind: 'body' }>;

/** Something that a prompt says, which its body must say, too. */
interface Said {
  readonly kind: BodyPiece['kind'];
  readonly text: string;
}

/** What a provider's client may put in by itself: a note in brackets, that a file stands there, say. */
const note = /^\[[^\n]*\]$/;

/** A body says what its prompt says, in its order, with each result behind its call, and nothing else. */
export function checkBody({ provider, prompt, body }: Body, report: Report): void {
  const pieces = readBody(provider, body);
  const complain = (what: string): void => report('body', `${provider}: ${what}`);
  checkPairs(pieces, complain);
  const said = saidIn(prompt);
  for (const kind of ['call', 'result'] as const) {
    const [wanted, found] = [said, pieces].map((list) => list.filter((one) => one.kind === kind).length);
    if (wanted !== found) complain(`there are ${found} pieces of the kind ${kind}, not ${wanted}`);
  }
  const lost = firstLost(said, pieces);
  if (lost !== null) complain(`this ${lost.kind} is lost or elsewhere: ${JSON.stringify(lost.text.slice(0, 80))}`);
  const texts = new Set(said.map(({ text }) => text));
  const added = pieces.find(
    ({ kind, text }) => kind === 'text' && text !== '' && !texts.has(plain(text)) && !note.test(text),
  );
  if (added !== undefined) complain(`nobody said ${JSON.stringify(added.text.slice(0, 80))}`);
}

/** Results stand behind their calls before the user says anything, and no call has two. */
function checkPairs(pieces: readonly BodyPiece[], complain: (what: string) => void): void {
  let open: (string | null)[] = [];
  const ids = new Set<string>();
  for (const { kind, role, id, text } of pieces) {
    if (kind === 'text' && role === 'user' && text !== '' && open.length > 0) {
      complain(`the user speaks before the result of ${open[0]}`);
      open = [];
    }
    if (kind === 'call') {
      if (id !== null && ids.has(id)) complain(`two calls have the id ${id}`);
      if (id !== null) ids.add(id);
      open.push(id);
    }
    if (kind !== 'result') continue;
    const at = open.indexOf(id);
    if (at === -1) complain(`no call for the result ${id}`);
    else open.splice(at, 1);
  }
  if (open.length > 0) complain(`no result of ${open[0]} at the end`);
}

function saidIn({ system, messages }: Pick<SeenPrompt, 'system' | 'messages'>): readonly Said[] {
  return [
    ...system.map(({ text }): Said => ({ kind: 'system', text: plain(text) })),
    ...messages.flatMap(({ content }: SeenMessage) =>
      typeof content === 'string' ? [{ kind: 'text' as const, text: plain(content) }] : content.flatMap(saidInPart),
    ),
  ];
}

function saidInPart({ type, text = '', toolName = '', output }: SeenPart): readonly Said[] {
  if (type === 'text') return [{ kind: 'text', text: plain(text) }];
  if (type === 'tool-call') return [{ kind: 'call', text: toolName }];
  if (output === undefined) return [];
  if (output.type !== 'content') {
    const value = typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
    return [{ kind: 'result', text: plain(value) }];
  }
  const parts = output.value as readonly SeenPart[];
  return [{ kind: 'result', text: plain(parts.find((part) => part.type === 'text')?.text ?? '') }];
}

/** White space at the ends is the client's own affair; halves of characters cannot be sent. */
function plain(text: string): string {
  return Buffer.from(text).toString().trim();
}

/** The first thing that the body does not say behind those before it; blank ones need not be sent. */
function firstLost(said: readonly Said[], pieces: readonly BodyPiece[]): Said | null {
  let at = 0;
  for (const one of said) {
    if (one.text === '') continue;
    while (at < pieces.length && !isThere(one, pieces[at])) at += 1;
    if (at === pieces.length) return one;
    // Blocks of the system prompt may be one text.
    if (one.kind !== 'system') at += 1;
  }
  return null;
}

function isThere({ kind, text }: Said, piece: BodyPiece | undefined): boolean {
  if (piece === undefined || piece.kind !== kind) return false;
  // Names of tools are written in the characters of the API.
  return kind === 'call' || piece.text.includes(text);
}
