import { type Message, partsOfMessage, textsOfMessage, toolCallsOfMessage } from '@varve/core';
import type { Conversation, Utterance } from './generate-conversation.ts';

/** Something about an exchange that code tends to stumble over. */
export type Trait =
  | 'parallel-calls'
  | 'open-call'
  | 'orphan-result'
  | 'user-inside-group'
  | 'aborted-assistant'
  | 'reused-call-id'
  | 'empty-text'
  | 'image'
  | 'signed-reasoning'
  | 'cjk'
  | 'dollar-ampersand'
  | 'large-result'
  | 'duplicate-key';

/** All traits. */
export const traits: readonly Trait[] = [
  'parallel-calls',
  'open-call',
  'orphan-result',
  'user-inside-group',
  'aborted-assistant',
  'reused-call-id',
  'empty-text',
  'image',
  'signed-reasoning',
  'cjk',
  'dollar-ampersand',
  'large-result',
  'duplicate-key',
];

/** From this many characters on a result is large: 1 MB of plain text. */
export const largeResultChars: number = 1_048_576;

/** How often a trait was found. */
export interface TraitShare {
  readonly trait: Trait;
  /** Of all exchanges, 0 to 1. */
  readonly ofExchanges: number;
  /** Of all conversations, 0 to 1. */
  readonly ofConversations: number;
}

/** Finds the traits of conversations by looking at their messages, not at how they were made. */
export function measureTraits(conversations: readonly Conversation[]): readonly TraitShare[] {
  const found = conversations.map(({ utterances }) => exchangesOf(utterances).map(traitsOfExchange));
  const exchanges = found.flat();
  return traits.map((trait) => ({
    trait,
    ofExchanges: share(exchanges.filter((one) => one.has(trait)).length, exchanges.length),
    ofConversations: share(found.filter((all) => all.some((one) => one.has(trait))).length, found.length),
  }));
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function exchangesOf(utterances: readonly Utterance[]): readonly (readonly Utterance[])[] {
  const byNumber = new Map<number, Utterance[]>();
  for (const one of utterances) byNumber.set(one.exchange, [...(byNumber.get(one.exchange) ?? []), one]);
  return [...byNumber.values()];
}

/** The traits of one exchange. */
function traitsOfExchange(exchange: readonly Utterance[]): ReadonlySet<Trait> {
  const messages = exchange.map(({ message }) => message);
  const parts = messages.flatMap(partsOfMessage);
  const texts = messages.flatMap(textsOfMessage);
  const keys = exchange.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const checks: Readonly<Record<Exclude<Trait, PairTrait>, boolean>> = {
    'parallel-calls': messages.some((message) => toolCallsOfMessage(message).length > 1),
    'aborted-assistant': messages.some((message) => message.role === 'assistant' && message.stop === 'aborted'),
    'empty-text': messages.some(hasEmptyText),
    image: parts.some((part) => part.type === 'image'),
    'signed-reasoning': parts.some((part) => part.type === 'reasoning' && part.providerOptions !== undefined),
    cjk: texts.some((text) => /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(text.slice(0, 1_000))),
    'dollar-ampersand': texts.some((text) => text.slice(0, 1_000).includes('$&')),
    'large-result': texts.some((text) => text.length >= largeResultChars),
    'duplicate-key': new Set(keys).size < keys.length,
  };
  const found = traits.filter((trait) => trait in checks && checks[trait as keyof typeof checks]);
  return new Set([...found, ...pairTraits(messages)]);
}

type PairTrait = 'open-call' | 'orphan-result' | 'user-inside-group' | 'reused-call-id';

/** What is odd about calls and their results, in the order in which they were said. */
function pairTraits(messages: readonly Message[]): readonly PairTrait[] {
  const found = new Set<PairTrait>();
  const open = new Map<string, { userSince: boolean }>();
  const seen = new Set<string>();
  for (const message of messages) {
    for (const { toolCallId } of toolCallsOfMessage(message)) {
      if (seen.has(toolCallId)) found.add('reused-call-id');
      seen.add(toolCallId);
      open.set(toolCallId, { userSince: false });
    }
    if (message.role === 'user') for (const call of open.values()) call.userSince = true;
    if (message.role !== 'tool') continue;
    for (const { toolCallId } of message.content) {
      const call = open.get(toolCallId);
      if (call === undefined) found.add('orphan-result');
      if (call?.userSince === true) found.add('user-inside-group');
      open.delete(toolCallId);
    }
  }
  if (open.size > 0) found.add('open-call');
  return [...found];
}

function hasEmptyText(message: Message): boolean {
  if (message.content === '') return true;
  return partsOfMessage(message).some((part) => part.type === 'text' && part.text === '');
}
