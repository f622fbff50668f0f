import { VarveError } from '../errors.ts';

/** What a part of a key may not hold as it is: it would end the part, begin an escape, or break a line. */
const reserved = /[%:\p{Cc}]/gu;

const escaped = /%([0-9A-F]{2})/g;

/** Begins the name of a linked person. A peer that begins with it is escaped, so that neither is taken for the other. */
export const personMark = '~';

/** Writes a part so that it can stand between colons. Case and script stay as they are. @throws VARVE_KEY_INVALID */
export function escapePart(part: string, name: string): string {
  if (typeof part === 'string' && part !== '') return part.replace(reserved, escapeCharacter);
  throw new VarveError('VARVE_KEY_INVALID', `A key has no ${name}.`, {
    fix: `Give the ${name} as a text that is not empty.`,
    details: { part: name },
  });
}

/** Writes a peer: like a part, and never like a person. @throws VARVE_KEY_INVALID */
export function escapePeer(peer: string): string {
  const text = escapePart(peer, 'peer');
  return text.startsWith(personMark) ? `${escapeCharacter(personMark)}${text.slice(personMark.length)}` : text;
}

/** Words that say what kind of conversation a key names. */
const kindWords: ReadonlySet<string> = new Set([
  ...['main', 'direct', 'group', 'channel', 'thread', 'topic', 'cron', 'run', 'hook', 'subagent', 'agent', 'global'],
]);

/** Writes the name of a channel or account: like a part, and never like a kind, so that a key has one reading. */
export function escapeName(name: string, what: string): string {
  const text = escapePart(name, what);
  return kindWords.has(text) ? `${escapeCharacter(text.charAt(0))}${text.slice(1)}` : text;
}

/** Reads a part back. */
export function unescapePart(text: string): string {
  return text.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
