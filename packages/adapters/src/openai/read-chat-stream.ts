import type { ModelDelta } from '@varve/core';
import { cutStream, streamError } from '../model-failure.ts';
import type { OpenAIChatCallPiece, OpenAIChatChunk, OpenAIChatReply, OpenAIChatUsage } from './chat-reply.ts';

interface GrowingCall {
  id: string;
  name: string;
  arguments: string;
}

interface Answer {
  /** All calls, in the order in which they began. */
  readonly calls: GrowingCall[];
  /** The call that pieces with an index belong to. */
  readonly current: Map<number, GrowingCall>;
  readonly onDelta: (delta: ModelDelta) => void;
  content: string;
  refusal: string;
  reasoning_content: string;
  reasoning: string;
  finish: string | null;
  usage: OpenAIChatUsage | null;
}

/**
 * Puts a streamed answer of the Chat Completions API together.
 *
 * @throws `VARVE_MODEL_FAILED` of the kind `network` when the stream ends before the answer does, and whatever the
 * stream itself throws or reports.
 */
export async function readOpenAIChatStream(
  chunks: AsyncIterable<OpenAIChatChunk>,
  onDelta: (delta: ModelDelta) => void,
): Promise<OpenAIChatReply> {
  const texts = { content: '', refusal: '', reasoning_content: '', reasoning: '' };
  const answer: Answer = { calls: [], current: new Map(), onDelta, ...texts, finish: null, usage: null };
  for await (const chunk of chunks) take(chunk, answer);
  if (answer.finish === null) throw cutStream();
  return wholeReply(answer);
}

function take({ choices, usage, error }: OpenAIChatChunk, answer: Answer): void {
  if (error !== undefined && error !== null) throw streamError(error);
  const choice = choices?.[0];
  answer.usage = usage ?? choice?.usage ?? answer.usage;
  answer.finish = choice?.finish_reason ?? answer.finish;
  const { content, refusal, reasoning_content, reasoning, tool_calls } = choice?.delta ?? {};
  grow({ content, refusal, reasoning_content, reasoning }, answer);
  for (const piece of tool_calls ?? []) growCall(piece, answer);
}

type Texts = {
  readonly [Field in 'content' | 'refusal' | 'reasoning_content' | 'reasoning']?: string | null | undefined;
};

function grow(texts: Texts, answer: Answer): void {
  for (const field of ['reasoning_content', 'reasoning', 'content', 'refusal'] as const) {
    const text = texts[field];
    if (typeof text !== 'string' || text === '') continue;
    answer[field] += text;
    answer.onDelta({ type: field.startsWith('reasoning') ? 'reasoning' : 'text', text });
  }
}

/**
 * The first piece of a call names it, and tells its id. Some servers leave the index out, or give every call the same
 * one; then a new id begins a new call, and what has none belongs to the last.
 */
function growCall({ index = -1, id, function: called }: OpenAIChatCallPiece, answer: Answer): void {
  const open = answer.current.get(index);
  const isOther = open !== undefined && id !== undefined && id !== '' && open.id !== '' && open.id !== id;
  const call = open === undefined || isOther ? { id: '', name: '', arguments: '' } : open;
  if (call !== open) answer.calls.push(call);
  answer.current.set(index, call);
  const wasNamed = call.name !== '';
  if (id) call.id = id;
  if (!wasNamed && called?.name) call.name = called.name;
  call.arguments += called?.arguments ?? '';
  if (!wasNamed && call.name !== '') answer.onDelta({ type: 'tool-call', toolCallId: call.id, toolName: call.name });
}

function wholeReply({ calls, content, refusal, reasoning_content, reasoning, finish, usage }: Answer): OpenAIChatReply {
  const tool_calls = calls.map(({ id, name, arguments: text }) => {
    return { id, type: 'function', function: { name, arguments: text } };
  });
  const message = {
    content: content === '' ? null : content,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning_content === '' ? {} : { reasoning_content }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  return { choices: [{ finish_reason: finish, message }], usage };
}
