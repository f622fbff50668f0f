import type { Message } from '../message.ts';
import type { Tokens } from '../units.ts';
import type { Draft } from './draft.ts';
import { stateOfDraft } from './draft-operations.ts';

/** Stands first where a conversation would be empty or begin with the assistant, which providers refuse. */
const leadText = '[The beginning of this conversation is not shown.]';

const leadMessage: Message = { role: 'user', content: leadText };

/** The message that must stand before the conversation, if one must: always the same object. */
export function leadOf(draft: Draft): Message | null {
  if (draft.layers.some((layer) => layer.place === 'summary' && layer.text !== '')) return null;
  const first = stateOfDraft(draft).items[0];
  if (first?.message.role === 'user') return null;
  return leadMessage;
}

/** True when that message is among the messages of a prompt. */
export function hasLead(messages: readonly Message[]): boolean {
  return messages.includes(leadMessage);
}

/** What that message costs. */
export function leadTokens(draft: Draft): Tokens {
  const lead = leadOf(draft);
  return lead === null ? 0 : stateOfDraft(draft).counter.countMessage(lead);
}

/** What the message costs that core puts in front of a conversation which would else begin with the assistant. */
export function mostLeadTokens(draft: Draft): Tokens {
  return stateOfDraft(draft).counter.countMessage(leadMessage);
}
