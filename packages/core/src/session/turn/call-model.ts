import { messageOfError, throwIfAborted, VarveError } from '../../errors.ts';
import { type AssistantMessage, requireMessage, requireUsage, type Usage } from '../../message.ts';
import type { ModelDelta, ModelPort, ModelRequest } from '../../model-port.ts';
import { nameOfModel } from '../../model-ref.ts';
import { untilAborted } from './until-aborted.ts';

/** How a model is called in a turn. */
interface ModelCall {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly onDelta: ((delta: ModelDelta) => void) | undefined;
  /** Told once, when the call is aborted: the text that had come by then, possibly empty. */
  onPartial(text: string): Promise<void>;
  /** Told what is not as it should be. */
  warn(text: string): void;
}

/** An answer in the shape that can be stored. */
export interface ModelAnswer {
  readonly message: AssistantMessage;
  readonly usage: Usage | null;
}

/**
 * Calls the model once. A port that ignores the signal is not waited for.
 *
 * @throws VARVE_ABORTED, VARVE_MODEL_OVERFLOW, VARVE_MODEL_FAILED; what a port throws without a code is the last one.
 */
export async function callModel(model: ModelPort, call: ModelCall): Promise<ModelAnswer> {
  const { request, signal } = call;
  const stream = listenTo(call.onDelta);
  const { onDelta } = stream;
  try {
    const generate = async () => model.generate(request, onDelta === undefined ? { signal } : { signal, onDelta });
    const { message, usage } = await untilAborted(generate(), signal);
    return { message: requireAnswer(message), usage: usageOf(usage, { model, call }) };
  } catch (error) {
    stream.end();
    if (signal.aborted) {
      await call.onPartial(stream.text());
      throwIfAborted(signal);
    }
    throw VarveError.is(error) && error.code !== 'VARVE_MESSAGE_INVALID' ? error : failed(model, error);
  } finally {
    stream.end();
  }
}

/** Passes on what is streamed, and keeps its text, until the call is over. */
function listenTo(listener: ModelCall['onDelta']): {
  readonly onDelta: ModelCall['onDelta'];
  readonly text: () => string;
  readonly end: () => void;
} {
  let text = '';
  let isOver = false;
  const onDelta = (delta: ModelDelta): void => {
    if (isOver) return;
    if (delta.type === 'text') text += delta.text;
    void (async () => listener?.(delta))().catch(() => undefined);
  };
  return {
    onDelta: listener === undefined ? undefined : onDelta,
    text: () => text,
    end: () => {
      isOver = true;
    },
  };
}

function requireAnswer(given: unknown): AssistantMessage {
  const message = requireMessage(given);
  if (message.role === 'assistant') return message;
  throw new VarveError('VARVE_MESSAGE_INVALID', `The model answered with the role "${message.role}".`, {
    fix: 'Let the port answer with an assistant message.',
  });
}

/** What is not a usage is none: an answer is not thrown away for its bill. */
function usageOf(
  given: unknown,
  { model, call }: { readonly model: ModelPort; readonly call: ModelCall },
): Usage | null {
  if (given === null || given === undefined) return null;
  try {
    return requireUsage(given);
  } catch (error) {
    call.warn(`What ${nameOfModel(model.ref)} reported of its tokens was left out: ${messageOfError(error)}`);
    return null;
  }
}

function failed(model: ModelPort, error: unknown): VarveError {
  const { provider, model: name } = model.ref;
  const text = `The call of ${nameOfModel(model.ref)} failed: ${messageOfError(error)}`;
  return new VarveError('VARVE_MODEL_FAILED', text, {
    fix: "Read the port's own error in `cause`; a port should throw the codes of the contract itself.",
    cause: error,
    details: { provider, model: name, kind: 'other', retryable: false },
  });
}
