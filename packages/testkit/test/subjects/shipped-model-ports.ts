import Anthropic from '@anthropic-ai/sdk';
import { anthropicModel } from '@varve/adapters/anthropic';
import { openaiChatModel, openaiResponsesModel } from '@varve/adapters/openai';
import type { ModelPort } from '@varve/core';
import { type ModelPortSubject, manualClock, type PortOutcome } from '@varve/testkit';
import {
  type AnswerBlock,
  answer,
  failure,
  type ModelOutcome,
  silence,
  startModelServer,
} from '@varve/testkit/model-server';
import OpenAI from 'openai';

/** How the real client of a provider is put behind a port. */
interface Wiring {
  readonly modelPort: string;
  readonly provider: 'anthropic' | 'openai';
  /** Number of the event behind the first pieces of a text. */
  readonly middle: number;
  /** How the API says that all is well, and the same with a reason that nobody knows. */
  readonly end: readonly [known: string, unknown: string];
  port(client: { readonly url: string; readonly fetch: typeof fetch }): ModelPort;
}

const plain = { apiKey: 'none', maxRetries: 0, logLevel: 'off' } as const;

/** The port of Anthropic's Messages API, around the client of `@anthropic-ai/sdk`. */
export function openAnthropicModel(): ModelPortSubject {
  return subjectOf({
    modelPort: 'anthropicModel',
    provider: 'anthropic',
    middle: 4,
    end: ['"stop_reason":"end_turn"', '"stop_reason":"brand_new"'],
    port: ({ url, fetch }) => anthropicModel(new Anthropic({ ...plain, baseURL: url, fetch }), { model: 'test-1' }),
  });
}

/** The port of OpenAI's Chat Completions API, around the client of `openai`. */
export function openOpenAIChatModel(): ModelPortSubject {
  return subjectOf({
    modelPort: 'openaiChatModel',
    provider: 'openai',
    middle: 3,
    end: ['"finish_reason":"stop"', '"finish_reason":"brand_new"'],
    port: ({ url, fetch }) => openaiChatModel(new OpenAI({ ...plain, baseURL: url, fetch }), { model: 'test-1' }),
  });
}

/** The port of OpenAI's Responses API, around the client of `openai`. */
export function openOpenAIResponsesModel(): ModelPortSubject {
  return subjectOf({
    modelPort: 'openaiResponsesModel',
    provider: 'openai',
    middle: 6,
    end: ['"status":"completed"', '"status":"brand_new"'],
    port: ({ url, fetch }) => openaiResponsesModel(new OpenAI({ ...plain, baseURL: url, fetch }), { model: 'test-1' }),
  });
}

function subjectOf(wiring: Wiring): ModelPortSubject {
  const stops: (() => Promise<void>)[] = [];
  return {
    modelPort: wiring.modelPort,
    open: async (script) => {
      let isUnknown = false;
      const { url, stop } = await startModelServer({
        provider: wiring.provider,
        contextTokens: 100_000,
        clock: manualClock(),
        script: ({ body }) => {
          const outcome = script(JSON.stringify(body));
          isUnknown = outcome.kind === 'answer' && outcome.stop === 'unknown';
          return served(outcome, wiring);
        },
      });
      stops.push(stop);
      const [known, unknown] = wiring.end;
      const asked: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (!isUnknown) return response;
        const { status, headers } = response;
        const text = (await response.text()).replaceAll(known, unknown);
        const type = headers.get('content-type') ?? '';
        return new Response(text, { status, headers: { 'content-type': type } });
      };
      return wiring.port({ url, fetch: asked });
    },
    close: async () => {
      for (const stop of stops) await stop();
    },
  };
}

function served(outcome: PortOutcome, { middle }: Wiring): ModelOutcome {
  if (outcome.kind === 'refuses') return failure(outcome.with);
  if (outcome.kind === 'hangs-up') return silence('hangs-up');
  const text = 'Clay settles last, and silt before it.';
  if (outcome.kind === 'ends-early') return answer(text, { cut: { afterEvents: middle }, cutEnd: 'quiet' });
  const { text: said, calls = [], stop, usage, after, pause } = outcome;
  const blocks: readonly AnswerBlock[] = [
    ...(said === '' ? [] : [{ type: stop === 'refusal' ? 'refusal' : 'text', text: said } as const]),
    ...calls.map((call) => ({ type: 'tool-call', ...call }) as const),
  ];
  const hold =
    after === undefined ? pause && { before: middle, until: pause } : ({ before: 'headers', until: after } as const);
  return answer(blocks, {
    ...(stop === undefined || stop === 'unknown' ? {} : { stop }),
    ...(usage === undefined ? {} : { usage: usage ?? 'missing' }),
    ...(hold === undefined ? {} : { hold }),
  });
}
