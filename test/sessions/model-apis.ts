import Anthropic from '@anthropic-ai/sdk';
import { anthropicModel } from '@varve/adapters/anthropic';
import { openaiChatModel, openaiResponsesModel } from '@varve/adapters/openai';
import type { ModelPort } from '@varve/core';
import type { ModelServer, ModelServerOptions } from '@varve/testkit/model-server';
import OpenAI from 'openai';

/** An API of a provider, with a port around the provider's own client, and what its cache costs. */
export interface ModelApi {
  readonly name: 'messages' | 'chat' | 'responses';
  readonly provider: ModelServerOptions['provider'];
  /** Prices of cached tokens, in those of fresh input, and how long they are kept. */
  readonly cache: { readonly read: number; readonly write: number; readonly lifeMs: number };
  port(server: Pick<ModelServer, 'url'>, model: string): ModelPort;
}

const client = { apiKey: 'none', logLevel: 'off' } as const;

/** All APIs. The clients try again by themselves, as they do when nobody says anything. */
export const modelApis: readonly [ModelApi, ...ModelApi[]] = [
  {
    name: 'messages',
    provider: 'anthropic',
    cache: { read: 0.1, write: 1.25, lifeMs: 300_000 },
    port: ({ url }, model) =>
      anthropicModel(new Anthropic({ ...client, baseURL: url }), {
        model,
        ...(model === 'agent' ? { thinking: { type: 'enabled', budget_tokens: 1_024 } } : {}),
      }),
  },
  {
    name: 'chat',
    provider: 'openai',
    cache: { read: 0.1, write: 1, lifeMs: 600_000 },
    port: ({ url }, model) => openaiChatModel(new OpenAI({ ...client, baseURL: url }), { model }),
  },
  {
    name: 'responses',
    provider: 'openai',
    cache: { read: 0.1, write: 1, lifeMs: 600_000 },
    port: ({ url }, model) => openaiResponsesModel(new OpenAI({ ...client, baseURL: url }), { model }),
  },
];
