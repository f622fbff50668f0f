import { VarveError } from '../errors.ts';
import { formatKey, globalKeyText } from './format-key.ts';
import { unescapePart } from './key-part.ts';
import { readKey } from './parse-key.ts';
import type { SessionKey } from './session-key.ts';

/** What is not said in a key of another system. */
export interface CanonicalKeyOptions {
  /** The agent of a key that names none. @default 'main' */
  readonly agentId?: string | undefined;
  /** What the main conversation is called there, beside `main`. @default 'main' */
  readonly mainKey?: string | undefined;
}

/**
 * Reads keys as OpenClaw and others write them: without an agent (`telegram:direct:123`), with unescaped colons in a peer
 * (`agent:main:matrix:direct:@ada:server`), as `{agent}:{channel}:{user}`, and as `agent:<id>:dm:<channel>:<peer>`, with
 * `group` or `thread` in the place of `dm`. A key of our own is read as `parseKey` reads it. Case stays as it is.
 *
 * @throws VARVE_KEY_INVALID  for a text that no form fits.
 */
export function canonicalKey(text: string, options: CanonicalKeyOptions = {}): SessionKey {
  const { agentId: defaultAgentId = 'main', mainKey = 'main' } = options;
  const trimmed = text.trim();
  if (trimmed === globalKeyText) return { kind: 'global' };
  const parts = trimmed.split(':').filter((part) => part !== '');
  const isOwn = parts[0]?.toLowerCase() === 'agent' && parts.length >= 3;
  const agentId = isOwn ? unescapePart(parts[1] ?? '') : defaultAgentId;
  const rest = isOwn ? parts.slice(2) : parts;
  const key = readKnown(rest, { agentId, mainKey }) ?? (isOwn ? null : readForeign(rest));
  if (key !== null) return key;
  throw new VarveError('VARVE_KEY_INVALID', `"${trimmed.slice(0, 120)}" names no conversation in any known form.`, {
    fix: 'Give a key such as agent:main:telegram:direct:123.',
    details: { key: trimmed.slice(0, 120) },
  });
}

/** What follows the agent. A peer takes everything that no thread claims. */
function readKnown(
  rest: readonly string[],
  { agentId, mainKey }: { readonly agentId: string; readonly mainKey: string },
): SessionKey | null {
  if (rest.length === 1 && (rest[0] === mainKey || rest[0] === 'main')) return { kind: 'main', agentId };
  const text = ['agent', 'x', ...rest].join(':');
  const exact = readKey(text);
  if (exact !== null && exact.kind !== 'global' && formatKey(exact) === text) return { ...exact, agentId };
  return readArticle(rest, agentId) ?? readLong(rest, agentId);
}

/** `dm:<channel>:<peer>`, `group:<channel>:<peer>`, `thread:<channel>:<id>`. */
function readArticle(rest: readonly string[], agentId: string): SessionKey | null {
  const [form, channel, ...peerParts] = rest;
  if (channel === undefined || peerParts.length === 0) return null;
  const peer = unescapePart(peerParts.join(':'));
  switch (form) {
    case 'dm':
      return { kind: 'direct', agentId, channel: unescapePart(channel), peer };
    case 'group':
      return { kind: 'group', agentId, channel: unescapePart(channel), peer };
    case 'thread':
      return { kind: 'group', agentId, channel: unescapePart(channel), peer, thread: { kind: 'thread', id: peer } };
    default:
      return null;
  }
}

/** Forms with more colons than they should have, in the peer or the id. */
function readLong(rest: readonly string[], agentId: string): SessionKey | null {
  const [first = '', second = ''] = rest;
  if (first === 'direct') return { kind: 'direct', agentId, peer: joined(rest.slice(1)) };
  if (first === 'hook' || first === 'subagent') return { kind: first, agentId, id: joined(rest.slice(1)) };
  if (first === 'cron') return readCron(rest, agentId);
  if (second === 'direct')
    return { kind: 'direct', agentId, channel: unescapePart(first), peer: joined(rest.slice(2)) };
  if (second === 'group' || second === 'channel') return readRoom(rest, agentId);
  return null;
}

function readCron(rest: readonly string[], agentId: string): SessionKey {
  const runAt = rest.lastIndexOf('run');
  if (runAt <= 1 || runAt === rest.length - 1) return { kind: 'cron', agentId, job: joined(rest.slice(1)) };
  return { kind: 'cron', agentId, job: joined(rest.slice(1, runAt)), run: joined(rest.slice(runAt + 1)) };
}

function readRoom(rest: readonly string[], agentId: string): SessionKey | null {
  const [channel = '', kind, ...others] = rest;
  const threadAt = Math.max(others.lastIndexOf('thread'), others.lastIndexOf('topic'));
  const hasThread = threadAt > 0 && threadAt < others.length - 1;
  const peer = joined(hasThread ? others.slice(0, threadAt) : others);
  if (peer === '') return null;
  const room = { kind: kind === 'group' ? 'group' : 'channel', agentId, channel: unescapePart(channel), peer } as const;
  if (!hasThread) return room;
  const threadKind = others[threadAt] === 'topic' ? 'topic' : 'thread';
  return { ...room, thread: { kind: threadKind, id: joined(others.slice(threadAt + 1)) } };
}

/** `{agent}:{channel}:{user}`, and with more parts a room: `main-agent:discord:guild:channel`. */
function readForeign(parts: readonly string[]): SessionKey | null {
  const [agent = '', channel = '', ...peerParts] = parts;
  if (peerParts.length === 0) return null;
  const base = { agentId: unescapePart(agent), channel: unescapePart(channel), peer: joined(peerParts) };
  return { kind: peerParts.length === 1 ? 'direct' : 'channel', ...base };
}

/** Joins what an unescaped colon has parted. */
function joined(parts: readonly string[]): string {
  return unescapePart(parts.join(':'));
}
