import {
  type Command,
  type CompactRequest,
  type Delivery,
  type DeliveryDecision,
  type Draft,
  type ErrorCode,
  type HookName,
  type Ingested,
  isRefusal,
  type Message,
  type Pressure,
  type ResetQuestion,
  type Session,
  type SummarizeRequest,
  VarveError,
} from '@varve/core';
import { askDelivery, askReset } from '@varve/core/host';

const model = { provider: 'test', model: 'test-1' };

/** How a hook is reached, and what can be seen of what its taps did. */
export interface HookTrial {
  /** Runs the hook, once at the least; gives what the caller sees of it. */
  run(session: Session): Promise<unknown>;
  /** What a tap of the hook may return: another thing than `lastAnswer`, as far as the hook takes one at all. */
  answer(value: never): unknown;
  /** What the tap of the last plugin returns: it shows with which value the chain went on. */
  lastAnswer(value: never): unknown;
}

const addLayer = (draft: Draft, id: string): Draft =>
  draft.addLayer({ id, role: 'user', stability: 'turn', items: [{ text: `written by ${id}` }] }, 'add');
const clear = (draft: Draft, start: string): Draft =>
  draft.edit((part) => (part.text.startsWith(start) ? '(cleared)' : undefined), { rule: 'clear' });
const extended = ({ message, provenance }: Ingested, text: string): Ingested | undefined =>
  message.role === 'user'
    ? { message: { role: 'user', content: `${String(message.content)} ${text}` }, provenance }
    : undefined;
const planned = (request: CompactRequest, plugin: string): unknown => {
  const plan = request.defaultPlan();
  return isRefusal(plan) ? plan : { ...plan, by: { plugin, version: '1.0.0' } };
};

const hello: Message = { role: 'user', content: 'And the last question?' };

async function promptOf(session: Session): Promise<unknown> {
  const { system, messages, tokens, marks } = await session.assemble({ model });
  return { system, messages, tokens, marks };
}

async function outcomeOf(session: Session, trigger: 'manual' | 'threshold'): Promise<unknown> {
  const { status, why, entry, tokensBefore, tokensAfter } = await session.compact(trigger, { model });
  return { status, why, tokensBefore, tokensAfter, prose: entry?.prose, by: entry?.by };
}

/** The reply to a command; one that says what failed is thrown, as other hooks throw. */
async function replyOf(session: Session): Promise<unknown> {
  const reply = await session.command('/act now', { model });
  const { error } = (reply?.data ?? {}) as { readonly error?: ErrorCode };
  if (error !== undefined) throw new VarveError(error, reply?.text ?? '', { fix: 'See the text.' });
  return reply;
}

const delivery: Delivery = {
  sessionKey: null,
  sessionId: 's',
  agentId: 'main',
  kind: 'reply',
  channel: 'telegram',
  chatType: 'direct',
  recipient: '123',
  addressed: 'any',
  provenance: { kind: 'user' },
  text: 'Here it is.',
};

/** One trial a hook: a new hook without one does not compile. */
export const hookTrials: Readonly<Record<HookName, HookTrial>> = {
  ingest: {
    run: async (session) => (await session.ingest({ ...hello })).message,
    answer: (value) => extended(value, '(rewritten)'),
    lastAnswer: (value) => extended(value, '(read)'),
  },
  collect: {
    run: promptOf,
    answer: (draft) => addLayer(draft, 'middle'),
    lastAnswer: (draft) => addLayer(draft, 'last'),
  },
  shape: {
    run: promptOf,
    answer: (draft) => clear(draft, 'Question 3'),
    lastAnswer: (draft) => clear(draft, 'Answer 3'),
  },
  fit: {
    run: promptOf,
    answer: (draft) => clear(draft, 'Question 3'),
    lastAnswer: (draft) => clear(draft, 'Answer 3'),
  },
  shouldCompact: {
    run: (session) => outcomeOf(session, 'threshold'),
    answer: () => false,
    lastAnswer: ({ tokens, level, budget }: Pressure) => tokens < budget.input && level === 'none',
  },
  beforeCompact: {
    run: (session) => outcomeOf(session, 'manual'),
    answer: () => undefined,
    lastAnswer: () => undefined,
  },
  compact: {
    run: (session) => outcomeOf(session, 'manual'),
    answer: (request) => planned(request, 'middle'),
    lastAnswer: (request) => planned(request, 'last'),
  },
  summarize: {
    run: (session) => outcomeOf(session, 'manual'),
    answer: () => 'Prose of the middle.',
    lastAnswer: ({ entries, maxTokens }: SummarizeRequest) => `Prose of ${entries.length} in ${maxTokens} tokens.`,
  },
  command: {
    run: replyOf,
    answer: () => ({ text: 'Of the middle.', data: null }),
    lastAnswer: ({ name, rest }: Command) => ({ text: `Of the last: ${name} ${rest}`, data: null }),
  },
  shouldReset: {
    run: (session) => askReset(session),
    answer: () => ({ reason: 'middle' }),
    lastAnswer: ({ record }: ResetQuestion) => ({ reason: 'last', text: `Since ${record.createdAt}.` }),
  },
  deliver: {
    run: (session) => askDelivery(session, delivery),
    answer: (decision: DeliveryDecision) => ({ ...decision, allow: false, reason: 'The middle is against it.' }),
    // Has no part in what the middle denies; without it, this one is the last that could have been asked.
    lastAnswer: () => undefined,
  },
};

/** Puts a conversation into the session that is long enough to be compacted. */
export async function converse(session: Session): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}: ${'clay '.repeat(30)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(60)}` });
  }
  await session.ingest({ role: 'user', content: 'A question that nobody has answered yet.' });
}
