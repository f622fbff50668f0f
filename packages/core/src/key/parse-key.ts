import { VarveError } from '../errors.ts';
import { formatKey, globalKeyText } from './format-key.ts';
import { personMark, unescapePart } from './key-part.ts';
import type { SessionKey } from './session-key.ts';

/**
 * Reads the name of a conversation: the exact inverse of {@link formatKey}, in both directions. Forms of other systems
 * are read by `canonicalKey`.
 *
 * @throws VARVE_KEY_INVALID  for a text that `formatKey` never writes.
 */
export function parseKey(text: string): SessionKey {
  const key = readKey(text);
  if (key === null) throw invalid(text, 'It is none of the forms of a key.');
  const written = formatKey(key);
  if (written !== text) throw invalid(text, `That conversation is written "${shown(written)}".`);
  return key;
}

/** The key that a text seems to name, whether or not it is written as it should be; `null` for none. */
export function readKey(text: string): SessionKey | null {
  if (text === globalKeyText) return { kind: 'global' };
  const [sentinel, agent = '', ...rest] = text.split(':');
  if (sentinel !== 'agent' || agent === '' || rest.some((part) => part === '')) return null;
  return readRest(unescapePart(agent), rest);
}

function readRest(agentId: string, rest: readonly string[]): SessionKey | null {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = rest;
  const part = unescapePart;
  switch (rest.length) {
    case 1:
      return first === 'main' ? { kind: 'main', agentId } : null;
    case 2:
      if (first === 'direct') return readDirect(agentId, second);
      if (first === 'cron') return { kind: 'cron', agentId, job: part(second) };
      return first === 'hook' || first === 'subagent' ? { kind: first, agentId, id: part(second) } : null;
    case 3:
      if (second === 'direct') return { kind: 'direct', agentId, channel: part(first), peer: part(third) };
      if (!isRoom(second)) return null;
      return { kind: second, agentId, channel: part(first), peer: part(third) };
    case 4:
      if (first === 'cron' && third === 'run') return { kind: 'cron', agentId, job: part(second), run: part(fourth) };
      if (third !== 'direct') return null;
      return { kind: 'direct', agentId, channel: part(first), account: part(second), peer: part(fourth) };
    case 5: {
      if (!isRoom(second) || (fourth !== 'thread' && fourth !== 'topic')) return null;
      const thread = { kind: fourth, id: part(fifth) } as const;
      return { kind: second, agentId, channel: part(first), peer: part(third), thread };
    }
    default:
      return null;
  }
}

function readDirect(agentId: string, text: string): SessionKey | null {
  if (!text.startsWith(personMark)) return { kind: 'direct', agentId, peer: unescapePart(text) };
  const person = unescapePart(text.slice(personMark.length));
  return person === '' ? null : { kind: 'person', agentId, person };
}

function isRoom(text: string): text is 'group' | 'channel' {
  return text === 'group' || text === 'channel';
}

function invalid(text: string, why: string): VarveError {
  return new VarveError('VARVE_KEY_INVALID', `"${shown(text)}" names no conversation. ${why}`, {
    fix: 'Make keys with formatKey, or read those of other systems with canonicalKey.',
    details: { key: shown(text) },
  });
}

/** A key may be as long as it likes; a message is read by people. */
function shown(text: string): string {
  const flat = text.replace(/[^\P{C}]/gu, '?');
  return flat.length <= 120 ? flat : `${flat.slice(0, 119)}…`;
}
