import {
  type ModelCallOptions,
  type ModelDelta,
  type ModelRef,
  nameOfModel,
  throwIfAborted,
  VarveError,
} from '@varve/core';
import { type ClassifiedModelError, classifyModelError } from './provider-errors/classify-model-error.ts';

/** How one call of a model is made. */
interface Call extends ModelCallOptions {
  readonly ref: ModelRef;
}

/**
 * Runs one call of a model and gives what goes wrong the codes that ports promise.
 *
 * @throws `VARVE_ABORTED`, `VARVE_MODEL_OVERFLOW` or `VARVE_MODEL_FAILED`; the provider's own error is the cause.
 */
export async function callModel<Answer>(run: () => Promise<Answer>, call: Call): Promise<Answer> {
  throwIfAborted(call.signal);
  try {
    const answer = await run();
    // Clients end an aborted stream as if it were whole.
    throwIfAborted(call.signal);
    return answer;
  } catch (error) {
    throwIfAborted(call.signal);
    throw VarveError.is(error) ? error : failureOf(error, call.ref);
  }
}

/** The listener, or one that does nothing; what it throws, at once or later, is its own affair. */
export function safeListener(onDelta: ModelCallOptions['onDelta']): (delta: ModelDelta) => void {
  return (delta) => {
    // An answer does not fail because somebody could not show it.
    void (async () => onDelta?.(delta))().catch(() => undefined);
  };
}

/** A stream that ended before its answer: half a message is no message. */
export function cutStream(): VarveError {
  return new VarveError('VARVE_MODEL_FAILED', 'The stream of the answer ended before the answer did.', {
    fix: 'Call again; what came is not used.',
    details: { kind: 'network', retryable: true },
  });
}

/** What a provider reported within a stream or an answer, as something to throw. */
export function streamError(reported: unknown): Error {
  const { message, error } = (reported ?? {}) as { message?: unknown; error?: { message?: unknown } | null };
  const told = [message, error?.message].find((one) => typeof one === 'string');
  const text = typeof told === 'string' ? told : 'The provider answered with an error.';
  return Object.assign(new Error(text), { error: reported });
}

function failureOf(error: unknown, ref: ModelRef): VarveError {
  const { kind, text, ...rest } = classifyModelError(error);
  const { provider, model } = ref;
  const name = nameOfModel(ref);
  if (kind === 'input') {
    return new VarveError('VARVE_MODEL_OVERFLOW', `The prompt is too long for ${name}${numbers(rest)}: ${text}`, {
      fix: "Compact with the trigger 'overflow' and assemble again.",
      cause: error,
      details: { provider, model, ...rest },
    });
  }
  return new VarveError('VARVE_MODEL_FAILED', `The call of ${name} failed (${kind}): ${text}`, {
    fix: fixes[kind],
    cause: error,
    details: { provider, model, kind, ...rest },
  });
}

function numbers({ given, limit }: Pick<ClassifiedModelError, 'given' | 'limit'>): string {
  if (limit === undefined) return '';
  return given === undefined ? ` (limit ${limit} tokens)` : ` (${given} of ${limit} tokens)`;
}

const fixes: Readonly<Record<ClassifiedModelError['kind'], string>> = {
  input: 'Compact and assemble again.',
  'output-limit': 'Ask for fewer output tokens.',
  bytes: 'Send fewer or smaller images and files.',
  rate: 'Wait and call again, or raise the limit of the account.',
  auth: 'Check the key, its rights and the balance of the account.',
  server: 'Call again later.',
  network: 'Check the connection and call again.',
  refused: 'The provider will not answer this; change what is asked.',
  other: "Read the provider's own error in `cause`.",
};
