import type { SessionRecord } from '@varve/core';

/** A kind of chat that is known. */
type ChatType = NonNullable<SessionRecord['chatType']>;

/** What the key of a session says of where it takes place. Several values: it can be read in several ways. */
export interface KeyFacts {
  /** The key without `agent:<id>:`. */
  readonly stripped: string;
  /** Empty when the key does not say. */
  readonly channels: readonly string[];
  /** Empty when the key does not say. */
  readonly chatTypes: readonly ChatType[];
  readonly isThread: boolean;
}

const chatTypeOf: ReadonlyMap<string, ChatType> = new Map<string, ChatType>([
  ['direct', 'direct'],
  ['dm', 'direct'],
  ['group', 'group'],
  ['channel', 'channel'],
]);

/** Reads what a key says, in our form and in those of other systems: with and without an agent, the kind first or second. */
export function factsOfKey(key: string): KeyFacts {
  const parts = key.split(':');
  const rest = parts[0]?.toLowerCase() === 'agent' && parts.length >= 3 ? parts.slice(2) : parts;
  const [first = '', second = '', third = ''] = rest.map((part) => part.toLowerCase());
  const readings = [
    rest.length === 2 && chatTypeOf.get(first) === 'direct' ? { type: first, channel: null } : null,
    rest.length >= 3 && (chatTypeOf.has(first) || first === 'thread') ? { type: first, channel: second } : null,
    rest.length >= 3 && chatTypeOf.has(second) ? { type: second, channel: first } : null,
    rest.length >= 4 && chatTypeOf.get(third) === 'direct' ? { type: third, channel: first } : null,
  ].filter((reading) => reading !== null);
  return {
    stripped: rest.join(':'),
    channels: unique(readings.map(({ channel }) => (channel === null ? null : unescaped(channel)))),
    chatTypes: unique(readings.map(({ type }) => chatTypeOf.get(type) ?? null)),
    isThread: (rest.length >= 3 && first === 'thread') || rest.slice(3, -1).some(isThreadWord),
  };
}

function isThreadWord(part: string): boolean {
  return /^(?:thread|topic)$/i.test(part);
}

function unescaped(part: string): string {
  return part.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function unique<Value>(values: readonly (Value | null)[]): readonly Value[] {
  return [...new Set(values.filter((value) => value !== null))];
}
