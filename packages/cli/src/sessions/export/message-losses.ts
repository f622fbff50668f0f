import { type MessageEntry, type MessagePart, partsOfMessage } from '@varve/core';
import type { LossTally } from './loss-tally.ts';

/** What a form keeps of a message. */
export interface KeptOfMessages {
  /** What models thought, with its signature. */
  readonly reasoning: boolean;
  readonly systemMessages: boolean;
  /** Which call a result answers, what a call cost, and why a model stopped. */
  readonly calls: boolean;
}

const usualKinds: Readonly<Record<string, string>> = { user: 'user', assistant: 'model', tool: 'tool' };

/** Notes what a form leaves out of a message that it has. */
export function noteMessageLosses(entry: MessageEntry, kept: KeptOfMessages, tally: LossTally): void {
  const { message, provenance, usage, key } = entry;
  if (message.role === 'system' && !kept.systemMessages) {
    tally.note('system message');
    return;
  }
  const isUsual = message.role === 'system' || provenance.kind === usualKinds[message.role];
  if (!isUsual || Object.keys(provenance).length > 1) tally.note('provenance');
  if (key !== undefined) tally.note('key');
  if (!kept.calls && usage !== undefined) tally.note('usage');
  if (!kept.calls && message.role === 'assistant' && message.stop !== undefined) tally.note('reason to stop');
  for (const part of partsOfMessage(message)) noteLosses(part, kept, tally);
}

function noteLosses(part: MessagePart, kept: KeptOfMessages, tally: LossTally): void {
  if (part.type === 'reasoning' && !kept.reasoning) {
    tally.note('reasoning');
    return;
  }
  if (part.type === 'file') tally.note('file');
  if (part.type === 'tool-call' && !kept.calls) tally.note('id of a call');
  if (hasOtherOptions(part, kept)) tally.note('options of a provider');
}

function hasOtherOptions({ type, providerOptions }: MessagePart, { reasoning }: KeptOfMessages): boolean {
  if (providerOptions === undefined) return false;
  if (!reasoning || type !== 'reasoning') return true;
  const { anthropic, ...others } = providerOptions;
  const { signature, ...rest } = anthropic ?? {};
  return Object.keys(others).length > 0 || Object.keys(rest).length > 0 || typeof signature !== 'string';
}
