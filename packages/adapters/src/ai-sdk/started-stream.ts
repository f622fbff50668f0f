import type { AiSdkReply, AiSdkStreamPart } from './reply.ts';
import { streamReader } from './stream-reader.ts';

/** What becomes of a stream. */
interface StartOptions {
  /** Whether an error that comes before anything was said means that the call is to be made again. */
  isRefused(error: unknown): boolean;
  /** Told of the whole answer, before its end is passed on. */
  onWhole(reply: AiSdkReply): Promise<void>;
}

/** Parts that come before anything is said. */
const preludes: ReadonlySet<string> = new Set(['stream-start', 'response-metadata', 'raw']);

/**
 * Reads a stream up to where something is said, and gives one that begins with what was read. A model that refuses a
 * prompt within its stream is found out before anybody has seen a piece of it.
 *
 * @throws the error of such a refusal; the stream is cancelled then.
 */
export async function startedStream<Part extends AiSdkStreamPart>(
  stream: ReadableStream<Part>,
  { isRefused, onWhole }: StartOptions,
): Promise<ReadableStream<Part>> {
  const reader = stream.getReader();
  const read: Part[] = [];
  let hasEnded = false;
  while (!hasEnded && read.every(({ type }) => preludes.has(type))) {
    const { done, value } = await reader.read();
    if (done) hasEnded = true;
    else read.push(value);
  }
  const refusal = read.find(({ type }) => type === 'error') as { readonly error?: unknown } | undefined;
  if (refusal !== undefined && isRefused(refusal.error)) {
    await reader.cancel(refusal.error).catch(() => undefined);
    throw refusal.error;
  }
  const answer = streamReader();
  return new ReadableStream<Part>({
    pull: async (controller) => {
      const known = read.shift();
      const { done, value } = known === undefined ? await reader.read() : { done: false as const, value: known };
      if (done) return controller.close();
      answer.take(value);
      const whole = value.type === 'finish' ? answer.reply() : null;
      if (whole !== null) await onWhole(whole);
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
