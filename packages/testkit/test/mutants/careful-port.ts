import {
  type AssistantMessage,
  type ModelCallOptions,
  type ModelPort,
  type ModelReply,
  type ModelRequest,
  VarveError,
} from '@varve/core';
import type { ModelPortSubject, PortOutcome, PortScript } from '@varve/testkit';

/** What a port does that may be done wrong. */
export interface PortHabits {
  /** Makes the body that arrives. */
  body(request: ModelRequest): string;
  /** Reads an answer. */
  reply(answer: Extract<PortOutcome, { kind: 'answer' }>, request: ModelRequest): ModelReply;
  /** What is thrown for a failure. */
  failure(outcome: Exclude<PortOutcome, { kind: 'answer' }>): Error;
}

/** What a mutant changes: habits, or the port around a sound one. */
export interface PortChanges extends Partial<PortHabits> {
  /** Changes the whole port; `ask` makes a call of the sound one. */
  readonly generate?: (
    ask: ModelPort['generate'],
    request: ModelRequest,
    options: ModelCallOptions,
  ) => Promise<ModelReply>;
  readonly ref?: ModelPort['ref'];
}

const wireName = (name: string): string => name.replaceAll('.', '_');

const stops = {
  end: 'stop',
  length: 'length',
  'tool-calls': 'tool-calls',
  refusal: 'content-filter',
  unknown: 'other',
} as const satisfies Record<string, AssistantMessage['stop']>;

/** An error that ports promise. */
export function portFailure(
  code: 'VARVE_MODEL_OVERFLOW' | 'VARVE_MODEL_FAILED' | 'VARVE_ABORTED',
  details = {},
): Error {
  return new VarveError(code, 'It failed.', { fix: 'Look at the details.', details });
}

const kinds = {
  rate: { kind: 'rate', retryable: true },
  server: { kind: 'server', retryable: true },
  unauthorized: { kind: 'auth', retryable: false },
  'bad-request': { kind: 'other', retryable: false },
} as const;

/** A port that does what its contract says, without a client. */
export const carefulHabits: PortHabits = {
  body: ({ prompt, tools = [], maxOutputTokens }) =>
    JSON.stringify({
      system: prompt.system.map(({ text }) => text),
      messages: prompt.messages,
      tools: tools.map((tool) => ({ ...tool, name: wireName(tool.name) })),
      bound: maxOutputTokens,
    }),
  reply: ({ text, calls = [], stop = calls.length > 0 ? 'tool-calls' : 'end', usage }, { tools = [] }) => ({
    message: {
      role: 'assistant',
      content: [
        { type: 'text', text },
        ...calls.map(({ id, name, input }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: tools.find((tool) => wireName(tool.name) === name)?.name ?? name,
          input,
        })),
      ],
      stop: stops[stop],
    },
    usage: usage === undefined ? { inputTokens: 3, outputTokens: 2 } : usage,
  }),
  failure: (outcome) => {
    if (outcome.kind !== 'refuses') return portFailure('VARVE_MODEL_FAILED', { kind: 'network', retryable: true });
    if (outcome.with === 'overflow') return portFailure('VARVE_MODEL_OVERFLOW');
    return portFailure('VARVE_MODEL_FAILED', kinds[outcome.with]);
  },
};

/** A subject whose port differs from the careful one. */
export function portSubject({ generate, ref, ...changed }: PortChanges = {}): ModelPortSubject {
  const habits = { ...carefulHabits, ...changed };
  return {
    modelPort: 'careful',
    open: async (script) => {
      const ask: ModelPort['generate'] = (request, options = {}) => answerOf(request, { script, options, habits });
      return {
        ref: ref ?? { provider: 'test', model: 'careful' },
        generate: generate === undefined ? ask : (request, options = {}) => generate(ask, request, options),
      };
    },
  };
}

interface Call {
  readonly script: PortScript;
  readonly options: ModelCallOptions;
  readonly habits: PortHabits;
}

async function answerOf(request: ModelRequest, { script, options, habits }: Call): Promise<ModelReply> {
  const { signal } = options;
  if (signal?.aborted === true) throw portFailure('VARVE_ABORTED');
  const outcome = script(habits.body(request));
  const gone = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(portFailure('VARVE_ABORTED')));
  });
  gone.catch(() => undefined);
  if (outcome.kind !== 'answer') throw habits.failure(outcome);
  const { after, pause, text, calls = [] } = outcome;
  await Promise.race([after, gone]);
  const tell = (delta: Parameters<NonNullable<ModelCallOptions['onDelta']>>[0]): void => {
    try {
      options.onDelta?.(delta);
    } catch {
      // Who listens is not asked.
    }
  };
  if (text !== '') tell({ type: 'text', text: text.slice(0, 5) });
  await Promise.race([pause, gone]);
  if (text.length > 5) tell({ type: 'text', text: text.slice(5) });
  for (const { id, name } of calls) tell({ type: 'tool-call', toolCallId: id, toolName: name });
  return habits.reply(outcome, request);
}
