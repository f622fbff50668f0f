import type { Delivery, Milliseconds } from '@varve/core';
import { factsOfKey, type KeyFacts } from './key-facts.ts';
import type { ResolvedMatch } from './send-policy-options.ts';
import { isWithin } from './time-window.ts';

/** Whether a rule is about a delivery; `unknown` where nobody can tell. */
export type MatchAnswer = 'yes' | 'no' | 'unknown';

/** How a rule stands to a delivery, and what could not be told. */
export interface Matched {
  readonly answer: MatchAnswer;
  readonly unknown: readonly string[];
}

/** What a delivery may be, for each thing that rules ask about; `null` where it may be anything. */
interface DeliveryFacts {
  readonly channel: readonly string[] | null;
  readonly chatType: readonly string[] | null;
  readonly isThread: boolean | null;
  /** The whole key and the key without its agent; `null` for a session without a key. */
  readonly key: readonly [raw: string, stripped: string] | null;
  readonly recipient: readonly string[] | null;
  readonly provenance: readonly string[] | null;
  readonly kind: readonly string[] | null;
  readonly addressed: readonly string[] | null;
}

const chatTypes = ['direct', 'group', 'channel'];
const kinds = ['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'];
const sources = ['user', 'system-event', 'subagent', 'inter-session', 'model', 'tool', 'plugin'];
const waysToSpeak = ['mention', 'reply', 'any'];

/** What leaves in answer to something: where nobody says to what, that is not known. */
const answering = ['reply', 'typing', 'reaction'];

/** Compares every part of a match with a delivery. */
export function matchRule(match: ResolvedMatch, { delivery, now }: { delivery: Delivery; now: Milliseconds }): Matched {
  const facts = factsOf(delivery);
  const answers: Readonly<Record<keyof ResolvedMatch, MatchAnswer>> = {
    channel: oneOf(match.channel?.map(lower), facts.channel),
    chatType: chatTypeAnswer(match.chatType, facts),
    keyPrefix: prefixAnswer(match.keyPrefix, facts.key),
    rawKeyPrefix: prefixAnswer(match.rawKeyPrefix, facts.key === null ? null : [facts.key[0]]),
    recipient: oneOf(match.recipient, facts.recipient),
    provenance: oneOf(match.provenance, facts.provenance),
    kind: oneOf(match.kind, facts.kind),
    addressed: oneOf(match.addressed, facts.addressed),
    during: match.during === undefined || isWithin(now, match.during) ? 'yes' : 'no',
  };
  const unknown = Object.entries(answers).flatMap(([name, answer]) => (answer === 'unknown' ? [name] : []));
  if (Object.values(answers).includes('no')) return { answer: 'no', unknown: [] };
  return { answer: unknown.length === 0 ? 'yes' : 'unknown', unknown };
}

function factsOf(delivery: Delivery): DeliveryFacts {
  const { kind } = delivery;
  const key = textOf(delivery.sessionKey);
  const ofKey = key === null ? null : factsOfKey(key);
  // The key says where the session takes place, and a message to another one goes elsewhere.
  const place = kind === 'cross-session' ? null : ofKey;
  const chatType = chatTypes.find((one) => one === delivery.chatType);
  const silent = answering.includes(kind) ? null : ['none'];
  return {
    channel: stated(delivery.channel, place?.channel)?.map(lower) ?? null,
    chatType: stated(chatType, place?.chatType),
    isThread: isThread(chatType, place),
    key: key === null || ofKey === null ? null : [key, ofKey.stripped],
    recipient: stated(delivery.recipient),
    provenance: known(delivery.provenance?.kind, sources) ?? (delivery.provenance === null ? silent : null),
    kind: known(kind, kinds),
    addressed: known(delivery.addressed, waysToSpeak) ?? (delivery.addressed === null ? silent : null),
  };
}

/** What is stated, else what the key says; `null` for neither. */
function stated(value: string | null | undefined, ofKey: string | null = null): readonly string[] | null {
  const text = textOf(value) ?? ofKey;
  return text === null ? null : [text];
}

/** One of the words that are known; a word that is not known may mean anything. */
function known(value: string | undefined | null, words: readonly string[]): readonly string[] | null {
  return value !== undefined && value !== null && words.includes(value) ? [value] : null;
}

/** @throws TypeError  for what is no text, so that nothing leaves */
function textOf(value: string | null | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  throw new TypeError('The delivery does not say in words where it goes.');
}

function isThread(chatType: string | undefined, place: KeyFacts | null): boolean | null {
  if (chatType === 'direct') return place?.isThread ?? false;
  return place?.isThread ?? null;
}

function chatTypeAnswer(wanted: ResolvedMatch['chatType'], facts: DeliveryFacts): MatchAnswer {
  if (wanted === undefined) return 'yes';
  const byType = oneOf(wanted, facts.chatType);
  if (!wanted.includes('thread')) return byType;
  const byThread = facts.isThread === null ? 'unknown' : facts.isThread ? 'yes' : 'no';
  if (byType === 'yes' || byThread === 'yes') return 'yes';
  return byThread === 'unknown' || (byType === 'unknown' && wanted.length > 1) ? 'unknown' : 'no';
}

function prefixAnswer(wanted: readonly string[] | undefined, keys: readonly string[] | null): MatchAnswer {
  if (wanted === undefined) return 'yes';
  if (keys === null) return 'unknown';
  return wanted.some((prefix) => keys.some((key) => lower(key).startsWith(lower(prefix)))) ? 'yes' : 'no';
}

/** Whether what is known is among what is wanted. */
function oneOf(wanted: readonly string[] | undefined, known: readonly string[] | null): MatchAnswer {
  if (wanted === undefined) return 'yes';
  if (known === null) return 'unknown';
  return known.some((one) => wanted.includes(one)) ? 'yes' : 'no';
}

function lower(text: string): string {
  return text.toLowerCase();
}
