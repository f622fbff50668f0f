import {
  type AssistantMessage,
  type ModelPort,
  type ModelReply,
  type ModelRequest,
  type StopReason,
  type TextPart,
  type ToolCallPart,
  VarveError,
} from '@varve/core';
import type { ManualClock } from '@varve/testkit';
import {
  type AnswerBlock,
  answer,
  type MisbehaviourName,
  type ModelAnswer,
  type ModelOutcome,
  type ModelScript,
  misbehaviours,
  type ServedRequest,
  summariser,
} from '@varve/testkit/model-server';
import type { FaultName } from './factors.ts';
import { countText, sum } from './oracle/count-tokens.ts';
import type { SeenReply } from './oracle/observation.ts';

/** What a summariser works with. */
export interface SummariserStage {
  readonly clock: ManualClock;
  /** Its answers are counted by them, and their marks made of it. */
  readonly replies: SeenReply[];
  /** Told when it is asked, before it does anything; it waits for the end of what is given. */
  asked(): Promise<void>;
  /** What comes out of it instead of its answer, for tests that break something. */
  readonly tamper?: (message: AssistantMessage) => AssistantMessage;
}

/** How much time a slow one takes: less than core waits for it. */
const slowMs = 60_000;

/** Longer than core waits for a summariser. */
const pastDeadlineMs = 181_000;

const byName: Partial<Readonly<Record<FaultName, readonly [MisbehaviourName, MisbehaviourName]>>> = {
  empty: ['empty-answer', 'blank-answer'],
  'too-long': ['too-long-answer', 'too-long-answer'],
  'cut-by-length': ['stopped-by-length', 'stopped-by-length'],
  'tool-call': ['tool-call-instead', 'tool-call-instead'],
  injected: ['injected-text', 'injected-text'],
  'wrong-language': ['wrong-language', 'wrong-language'],
  refusal: ['refusal', 'refusal'],
};

const well: ModelScript = summariser({ sentences: 3 });

/** A model that writes summaries, with one fault at every call. What it answers is marked, so that it is found again. */
export function faultySummariser(fault: FaultName, stage: SummariserStage): ModelPort {
  let calls = 0;
  return {
    ref: { provider: 'test', model: 'summariser' },
    generate: async (request, options) => {
      calls += 1;
      await stage.asked();
      // Nobody waits for it any more: time that it lets pass now would be somebody else's.
      const passes = (ms: number): void => (options?.signal?.aborted === true ? undefined : stage.clock.advance(ms));
      if (fault === 'throws') throw new Error('The socket of the model hung up.');
      if (fault === 'overflow') {
        throw new VarveError('VARVE_MODEL_OVERFLOW', 'The prompt is too long.', { fix: 'Send less.' });
      }
      if (fault === 'never') {
        setImmediate(() => passes(pastDeadlineMs));
        return new Promise<never>(() => undefined);
      }
      if (fault === 'slow') passes(slowMs);
      return reply(await outcomeOf(fault, { request, calls }), { request, stage });
    },
  };
}

async function outcomeOf(
  fault: FaultName,
  { request, calls }: { readonly request: ModelRequest; readonly calls: number },
): Promise<ModelOutcome | string> {
  const served = servedAs(request);
  const names = byName[fault];
  return names === undefined ? well(served) : misbehaviours[names[calls % 2 === 0 ? 0 : 1]].outcome(served);
}

/** The request as a server of models would see it. */
function servedAs({ prompt }: ModelRequest): ServedRequest {
  const messages = prompt.messages.map((message) => {
    const role = message.role === 'assistant' ? ('assistant' as const) : ('user' as const);
    return { role, text: textOf(message), calls: [], results: [], images: 0 };
  });
  const system = prompt.system.map(({ text }) => text).join('\n\n');
  return {
    number: 1,
    api: 'anthropic-messages',
    headers: {},
    body: {},
    violations: [],
    conversation: { system, messages, tools: [], toolChoice: 'auto', maxOutputTokens: null },
    stream: false,
    inputTokens: 0,
    ended: Promise.resolve('answered'),
  };
}

function textOf({ content }: ModelRequest['prompt']['messages'][number]): string {
  return typeof content === 'string' ? content : '';
}

function reply(
  outcome: ModelOutcome | string,
  { request, stage }: { readonly request: ModelRequest; readonly stage: SummariserStage },
): ModelReply {
  const { replies, tamper = (message) => message } = stage;
  const given = typeof outcome === 'string' ? answer(outcome) : outcome;
  if (given.kind !== 'answer') throw new Error(`No model answers like this: ${given.kind}`);
  const mark = `nota-${String(replies.length + 1).padStart(4, '0')}x`;
  const content = partsOf(given, mark);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const stop = stopOf(given);
  const sourceTokens = sum(request.prompt.messages.map((message) => countText(textOf(message))));
  replies.push({ mark, text, stop, hasCall: content.some(({ type }) => type === 'tool-call'), sourceTokens });
  return { message: tamper({ role: 'assistant', content, stop }), usage: null };
}

/** The blocks as parts; what says something says its mark in a line of its own, too. */
function partsOf({ blocks }: ModelAnswer, mark: string): (TextPart | ToolCallPart)[] {
  const hasText = blocks.every((block) => block.type !== 'text' || block.text.trim() !== '') && blocks.length > 0;
  const marked: readonly AnswerBlock[] = hasText ? [{ type: 'text', text: `- ${mark}` }, ...blocks] : blocks;
  return marked.map((block): TextPart | ToolCallPart => {
    if (block.type === 'tool-call')
      return { type: 'tool-call', toolCallId: 'call-1', toolName: block.name, input: block.input ?? {} };
    return { type: 'text', text: 'text' in block ? block.text : '' };
  });
}

function stopOf({ stop, blocks }: ModelAnswer): StopReason {
  if (stop === 'length') return 'length';
  if (blocks.some(({ type }) => type === 'tool-call')) return 'tool-calls';
  return blocks.some(({ type }) => type === 'refusal') ? 'content-filter' : 'stop';
}
