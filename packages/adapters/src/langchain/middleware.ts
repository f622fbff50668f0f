import { type ModelRef, type Prompt, type Session, VarveError } from '@varve/core';
import { askWithList } from '../message-list/ask-with-list.ts';
import { checkSession } from '../message-list/check-session.ts';
import { addToList, type FollowListOptions } from '../message-list/follow-message-list.ts';
import type { ListedMessage } from '../message-list/listed-message.ts';
import { fromLangChain, usageOfLangChain } from './from-langchain.ts';
import { type MessageMaker, messageMaker } from './message-maker.ts';
import type { LangChainMessage, LangChainOutBlock } from './messages.ts';
import { refOfChatModel } from './model.ts';
import { systemOf } from './to-langchain.ts';
import { toolDefinitions } from './tool-definitions.ts';

/** What an agent is about to call a model with. */
export interface LangChainRequest {
  readonly model: unknown;
  readonly messages: LangChainMessage[];
  readonly systemMessage?: LangChainMessage | undefined;
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly runtime?: { readonly signal?: AbortSignal | undefined } | undefined;
}

/** Options of {@link varveMiddleware}. */
export interface VarveMiddlewareOptions extends Pick<FollowListOptions, 'onShorter'> {
  /** The session of the conversation, or a function that finds the one of a call, by `runtime.configurable`, say. */
  readonly session: Session | ((request: LangChainRequest) => Session | Promise<Session>);
  /** Whose window counts. @default what the chat model says of itself */
  readonly model?: ModelRef | undefined;
}

/** A middleware for `createAgent` of `langchain` 1. */
export interface LangChainMiddleware {
  readonly name: string;
  readonly wrapModelCall: <Request extends LangChainRequest, Reply>(
    request: Request,
    handler: (request: Request) => Reply | Promise<Reply>,
  ) => Promise<Reply>;
}

/**
 * Lets a session decide what an agent of LangChain sends its model. For `createAgent({ middleware })`, in the place of
 * `summarizationMiddleware` and `contextEditingMiddleware`: before each call the agent's messages are followed into the
 * journal, and what the session assembles is sent instead, with the system message and the tools of the agent as they
 * are. The agent's own state is not changed. A prompt that proves too long is compacted and sent again. Put it first, so
 * that what other middleware adds to a request is not taken for the conversation.
 *
 * @throws VARVE_OPTION_INVALID  without a session. A call throws VARVE_MESSAGE_INVALID for messages of a version that is
 *   not known here, what `followMessageList` throws, VARVE_BUDGET_IMPOSSIBLE, and what the model throws, as it is.
 */
export function varveMiddleware(options: VarveMiddlewareOptions): LangChainMiddleware {
  checkSession(options?.session);
  return {
    name: 'varve',
    wrapModelCall: async (request, handler) => {
      const { session: given, model, onShorter } = options;
      checkRequest(request);
      const session = typeof given === 'function' ? await given(request) : given;
      checkSession(session);
      const { systemMessage, messages, tools, runtime } = request;
      const instructions = systemMessage === undefined ? [] : fromLangChain([systemMessage]);
      const reply = await askWithList(session, listOf(messages), {
        model: model ?? refOfChatModel(request.model),
        tools: toolDefinitions(tools ?? []),
        system: instructions.map(({ content }) => String(content)),
        onShorter,
        signal: runtime?.signal,
        ask: async ({ prompt, system }) => {
          const maker = messageMaker(messages, systemMessage === undefined ? [] : [systemMessage]);
          const front = messages.slice(0, system.length);
          const said = prompt.messages.flatMap((message) => maker.messagesOf(message));
          const layers = withLayers(request, prompt, maker);
          return handler({ ...request, ...layers, messages: [...front, ...said] });
        },
      });
      const answer = answerOf(reply);
      if (answer !== null) await addToList(session, answer);
      return reply;
    },
  };
}

/** Texts of layers stand behind what the system message says: some providers take no second one. */
function withLayers(
  { systemMessage, systemPrompt = '' }: LangChainRequest,
  prompt: Prompt,
  { make }: MessageMaker,
): Partial<Pick<LangChainRequest, 'systemMessage' | 'systemPrompt'>> {
  const [layers] = systemOf(prompt);
  if (layers === undefined) return {};
  const text = String(layers.content);
  if (systemMessage === undefined) return { systemPrompt: systemPrompt === '' ? text : `${systemPrompt}\n\n${text}` };
  const { content } = systemMessage;
  const own = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as LangChainOutBlock[]);
  const said = own.filter(({ text: one }) => one !== '');
  const added = { type: 'text', text: said.length === 0 ? text : `\n\n${text}` };
  return { systemMessage: make({ type: 'system', content: [...said, added] }) };
}

function listOf(messages: readonly LangChainMessage[]): readonly ListedMessage[] {
  return fromLangChain(messages).map((message, index): ListedMessage => {
    const usage = message.role === 'assistant' ? usageOfLangChain(messages[index] as LangChainMessage) : null;
    return usage === null ? { message } : { message, usage };
  });
}

/** An agent may be handed a command in the place of an answer, which the next list brings. */
function answerOf(reply: unknown): ListedMessage | null {
  const { content } = (reply ?? {}) as { readonly content?: unknown };
  if (typeof content !== 'string' && !Array.isArray(content)) return null;
  const [listed] = listOf([reply as LangChainMessage]);
  return listed?.message.role === 'assistant' ? listed : null;
}

function checkRequest(request: unknown): void {
  const { messages } = (request ?? {}) as { readonly messages?: unknown };
  if (Array.isArray(messages)) return;
  throw new VarveError('VARVE_OPTION_INVALID', 'A call of a model was handed over without its messages.', {
    fix: 'Take `langchain` 1, and give the middleware to createAgent.',
    details: { path: 'request.messages' },
  });
}
