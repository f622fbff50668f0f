import type { ModelDelta } from '@varve/core';
import { cutStream, streamError } from '../model-failure.ts';
import { type Fields, fieldsOf } from './kept-data.ts';
import type { GeminiReply } from './reply.ts';

/**
 * Puts a streamed answer of `streamGenerateContent` together: pieces of one text become one part, and what is reported
 * last counts.
 *
 * @throws `VARVE_MODEL_FAILED` of the kind `network` when the stream ends before the answer does, and whatever the
 * stream itself throws or reports.
 */
export async function readGeminiStream(
  chunks: AsyncIterable<GeminiReply>,
  onDelta: (delta: ModelDelta) => void,
): Promise<GeminiReply> {
  const parts: GrowingPart[] = [];
  let whole: GeminiReply = {};
  let finishReason: string | undefined;
  for await (const chunk of chunks) {
    const { error } = chunk as { readonly error?: unknown };
    if (error !== undefined && error !== null) throw streamError(error);
    const { candidates = [], ...told } = chunk;
    whole = { ...whole, ...told };
    const [candidate] = candidates;
    finishReason = candidate?.finishReason ?? finishReason;
    for (const part of candidate?.content?.parts ?? []) take(fieldsOf(part), { parts, onDelta });
  }
  const isBlocked = whole.promptFeedback?.blockReason !== undefined;
  if (finishReason === undefined && !isBlocked) throw cutStream();
  return finishReason === undefined ? whole : { ...whole, candidates: [{ content: { parts }, finishReason }] };
}

interface GrowingPart {
  text?: unknown;
  thought?: unknown;
  thoughtSignature?: unknown;
}

interface Growing {
  readonly parts: GrowingPart[];
  readonly onDelta: (delta: ModelDelta) => void;
}

function take(part: Fields, { parts, onDelta }: Growing): void {
  const { text, thought, thoughtSignature, functionCall } = part;
  const { id, name } = fieldsOf(functionCall);
  if (typeof name === 'string')
    onDelta({ type: 'tool-call', toolCallId: typeof id === 'string' ? id : '', toolName: name });
  if (typeof text !== 'string') {
    parts.push({ ...part });
    return;
  }
  if (text !== '') onDelta({ type: thought === true ? 'reasoning' : 'text', text });
  const last = parts.at(-1);
  // Whatever is signed stays the part that it came as.
  const isSame = last !== undefined && last.thought === thought && typeof last.text === 'string';
  const isSigned = last?.thoughtSignature !== undefined || thoughtSignature !== undefined;
  if (isSame && !isSigned) last.text = `${last.text}${text}`;
  else parts.push({ ...part });
}
