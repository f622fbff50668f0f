import type { ModelCallOptions, ModelPort, ModelRef, ModelReply, ModelRequest } from '@varve/core';
import { VarveError } from '@varve/core';
import { readAnswer } from '../border.ts';
import { callModel, cutStream, safeListener } from '../model-failure.ts';
import { fromLangChain, reasonOfLangChain, usageOfLangChain } from './from-langchain.ts';
import { fieldsOf } from './kept-data.ts';
import type { LangChainFields, LangChainMessage } from './messages.ts';
import { toLangChain } from './to-langchain.ts';

/** How a chat model is called. */
export interface LangChainCall {
  signal?: AbortSignal;
}

/** What answers messages: a chat model, or one with tools bound to it. */
export interface LangChainRunnable {
  invoke(messages: LangChainFields[], options?: LangChainCall): Promise<LangChainMessage>;
  stream?(messages: LangChainFields[], options?: LangChainCall): Promise<AsyncIterable<LangChainMessage>>;
}

/** What a port needs of a chat model: `BaseChatModel` has it. */
export interface LangChainChatModel extends LangChainRunnable {
  bindTools?(tools: object[]): LangChainRunnable;
}

/** Options of {@link langChainModel}. Tools come with each request. */
export interface LangChainModelOptions {
  /** Under which names windows and prices of the model are kept. @default what the model says of itself */
  readonly ref?: ModelRef | undefined;
}

/**
 * A model port around a chat model of LangChain, of whatever provider: for turns, summaries and what else a session asks
 * a model. It streams when somebody listens. How long an answer may be is the chat model's own setting.
 *
 * @throws VARVE_OPTION_INVALID  for what is no chat model.
 */
export function langChainModel(model: LangChainChatModel, options: LangChainModelOptions = {}): ModelPort {
  if (typeof (model as { readonly invoke?: unknown } | undefined)?.invoke !== 'function') {
    throw new VarveError('VARVE_OPTION_INVALID', 'This is no chat model of LangChain.', {
      fix: 'Give a chat model of @langchain/core 1, such as new ChatOpenAI({ model }).',
      details: { path: 'model' },
    });
  }
  const ref = options.ref ?? refOfChatModel(model);
  return {
    ref,
    generate: (request, call = {}) => callModel(() => generate(model, request, call), { ref, signal: call.signal }),
  };
}

/** What a chat model calls its provider and itself. */
export function refOfChatModel(model: unknown): ModelRef {
  const { ls_provider, ls_model_name } = describedBy(model);
  const { model: own, modelName } = (model ?? {}) as { readonly model?: unknown; readonly modelName?: unknown };
  const name = [ls_model_name, own, modelName].find((one) => typeof one === 'string' && one !== '');
  const provider = typeof ls_provider === 'string' && ls_provider !== '' ? ls_provider.toLowerCase() : 'langchain';
  return { provider: providers[provider] ?? provider, model: typeof name === 'string' ? name : 'unknown' };
}

/** Names that chat models have for providers, where they are not those of the registry of models. */
const providers: Readonly<Record<string, string>> = {
  'google-genai': 'google',
  google_genai: 'google',
  mistralai: 'mistral',
};

function describedBy(model: unknown): { readonly [field: string]: unknown } {
  const { getLsParams } = (model ?? {}) as { readonly getLsParams?: unknown };
  if (typeof getLsParams !== 'function') return {};
  try {
    return fieldsOf(getLsParams.call(model, {}));
  } catch {
    // How a model describes itself for tracing is no reason not to call it.
    return {};
  }
}

async function generate(
  model: LangChainChatModel,
  { prompt, tools = [] }: ModelRequest,
  { signal, onDelta }: ModelCallOptions,
): Promise<ModelReply> {
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  const bound = definitions.length === 0 || model.bindTools === undefined ? model : model.bindTools(definitions);
  const messages = toLangChain(prompt);
  const call = signal === undefined ? {} : { signal };
  if (onDelta === undefined || bound.stream === undefined) return replyOf(await bound.invoke(messages, call));
  return replyOf(await readStream(await bound.stream(messages, call), safeListener(onDelta)));
}

function replyOf(answer: LangChainMessage): ModelReply {
  return readAnswer('a chat model of LangChain', () => {
    const [message] = fromLangChain([answer]);
    if (message?.role !== 'assistant') throw new Error(`its role is "${message?.role ?? 'none'}"`);
    return { message, usage: usageOfLangChain(answer) };
  });
}

type Chunk = LangChainMessage & { concat(chunk: LangChainMessage): Chunk };

async function readStream(
  chunks: AsyncIterable<LangChainMessage>,
  onDelta: NonNullable<ModelCallOptions['onDelta']>,
): Promise<LangChainMessage> {
  let whole: Chunk | null = null;
  for await (const chunk of chunks) {
    tell(chunk, onDelta);
    whole = whole === null ? (chunk as Chunk) : whole.concat(chunk);
  }
  // Nothing says that it has ended: neither why, nor what it has cost.
  if (whole === null || (reasonOfLangChain(whole) === undefined && usageOfLangChain(whole) === null)) throw cutStream();
  return whole;
}

function tell(chunk: LangChainMessage, onDelta: NonNullable<ModelCallOptions['onDelta']>): void {
  const { text, tool_call_chunks } = chunk as { readonly text?: unknown; readonly tool_call_chunks?: unknown };
  if (typeof text === 'string' && text !== '') onDelta({ type: 'text', text });
  for (const call of Array.isArray(tool_call_chunks) ? tool_call_chunks : []) {
    const { id, name } = fieldsOf(call);
    if (typeof name === 'string' && name !== '')
      onDelta({ type: 'tool-call', toolCallId: String(id ?? ''), toolName: name });
  }
}
