import type { AnthropicModelOptions } from '@varve/adapters/anthropic';
import { type ModelPort, type ModelRef, VarveError } from '@varve/core';
import type { ThinkingLevel, VarveConfig } from '@varve/sessions/config';
import type { CliIo } from '../terminal/cli-io.ts';

type ProviderSettings = NonNullable<NonNullable<VarveConfig['models']>['providers']>[string];

/** How a model of a provider is asked. */
export interface SdkModelOptions {
  /** Where keys are, and addresses that the configuration does not say: `OPENAI_API_KEY`, `OPENAI_BASE_URL`, … */
  readonly env: CliIo['env'];
  /** How hard the model thinks before it answers; `null` is what the provider does by itself. */
  readonly thinking: string | null;
  /** What the configuration says of the provider. @default nothing */
  readonly settings?: ProviderSettings | undefined;
}

/** What a client is made with. */
interface Access {
  readonly apiKey: string;
  readonly baseURL?: string;
}

type Make = (ref: ModelRef, access: Access, thinking: string | null) => Promise<ModelPort>;

const clients: Readonly<Record<NonNullable<ProviderSettings['api']>, Make>> = {
  anthropic: makeAnthropic,
  'openai-chat': makeOpenaiChat,
  'openai-responses': makeOpenaiResponses,
};

/** What providers speak that a configuration need not name. */
const ownApis: ReadonlyMap<string, NonNullable<ProviderSettings['api']>> = new Map([
  ['anthropic', 'anthropic'],
  ['openai', 'openai-chat'],
]);

/**
 * A model behind the client of its provider, which is loaded with the first question: who stays offline needs none.
 * `null` for a provider that nobody knows how to speak to. When it is asked it throws VARVE_USAGE without a key, or
 * without the client's package.
 */
export function sdkModel(ref: ModelRef, { env, thinking, settings = {} }: SdkModelOptions): ModelPort | null {
  const api = settings.api ?? ownApis.get(ref.provider);
  if (api === undefined) return null;
  let port: Promise<ModelPort> | null = null;
  const make = async (): Promise<ModelPort> => clients[api](ref, accessOf(ref, env, settings), thinking);
  return {
    ref,
    generate: async (request, call) => {
      port ??= make();
      // A package that is installed meanwhile is found the next time.
      const made = await port.catch((error: unknown) => {
        port = null;
        throw error;
      });
      return made.generate(request, call);
    },
  };
}

/** Finds out whether a model can be asked. @throws VARVE_USAGE  when the environment has no key for its provider. */
export function requireKey(ref: ModelRef, { env, settings = {} }: Omit<SdkModelOptions, 'thinking'>): void {
  accessOf(ref, env, settings);
}

function accessOf({ provider }: ModelRef, env: CliIo['env'], settings: ProviderSettings): Access {
  const prefix = provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  const variable = settings.apiKeyVariable ?? `${prefix}_API_KEY`;
  const { [variable]: apiKey = '', [`${prefix}_BASE_URL`]: fromEnv } = env;
  const baseURL = settings.baseUrl ?? fromEnv;
  if (apiKey !== '') return { apiKey, ...(baseURL === undefined ? {} : { baseURL }) };
  throw new VarveError('VARVE_USAGE', `There is no key for ${provider}: ${variable} is not set.`, {
    fix: `Set ${variable}, or choose the model offline, which needs none: --model offline, or /model offline in a chat.`,
  });
}

/** Tokens of thinking by level, for models that are told a number: at least 1 024, and with an answer at most 32 000. */
const thinkingTokens: Readonly<Record<Exclude<ThinkingLevel, 'off'>, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 23_808,
};

/** Models of Anthropic that think as much as they are told; newer ones decide it themselves, and are told how hard to try. */
const isToldTokens = /^claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{6,})?$)/;

/** Tokens of an answer, beside thinking: a long page. */
const answerTokens = 8_192;

async function makeAnthropic(
  { provider, model }: ModelRef,
  access: Access,
  thinking: string | null,
): Promise<ModelPort> {
  const { default: Anthropic } = await installed('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'));
  const { anthropicModel } = await import('@varve/adapters/anthropic');
  const maxTokens = answerTokens + (isEffort(thinking) ? thinkingTokens[thinking] : 0);
  return anthropicModel(new Anthropic(access), { provider, model, maxTokens, ...anthropicThinking(model, thinking) });
}

function anthropicThinking(model: string, thinking: string | null): Pick<AnthropicModelOptions, 'thinking' | 'body'> {
  if (!isEffort(thinking)) return {};
  if (isToldTokens.test(model)) return { thinking: { type: 'enabled', budget_tokens: thinkingTokens[thinking] } };
  // Their least effort is low.
  const effort = thinking === 'minimal' ? 'low' : thinking;
  return { thinking: { type: 'adaptive' }, body: { output_config: { effort } } };
}

async function makeOpenaiChat(
  { provider, model }: ModelRef,
  access: Access,
  thinking: string | null,
): Promise<ModelPort> {
  const { default: OpenAI } = await installed('openai', () => import('openai'));
  const { openaiChatModel } = await import('@varve/adapters/openai');
  const body = isEffort(thinking) ? { body: { reasoning_effort: thinking } } : {};
  return openaiChatModel(new OpenAI(access), { provider, model, ...body });
}

async function makeOpenaiResponses(
  { provider, model }: ModelRef,
  access: Access,
  thinking: string | null,
): Promise<ModelPort> {
  const { default: OpenAI } = await installed('openai', () => import('openai'));
  const { openaiResponsesModel } = await import('@varve/adapters/openai');
  const body = isEffort(thinking) ? { body: { reasoning: { effort: thinking } } } : {};
  return openaiResponsesModel(new OpenAI(access), { provider, model, ...body });
}

function isEffort(thinking: string | null): thinking is keyof typeof thinkingTokens {
  return thinking !== null && Object.hasOwn(thinkingTokens, thinking);
}

async function installed<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new VarveError('VARVE_USAGE', `The package ${name} cannot be loaded: ${why}`, {
      fix: `Install it beside varve: npm install ${name}.`,
      cause: error,
    });
  }
}
