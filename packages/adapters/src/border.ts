import { type ModelReply, VarveError } from '@varve/core';

/** What bodies of requests are made of, as plain JavaScript may give it. */
interface Given {
  readonly prompt: unknown;
  readonly options: unknown;
}

/**
 * Makes the body of a request; whatever is given that is no prompt, or no options, is refused.
 *
 * @throws VARVE_OPTION_INVALID  with the path of what is wrong, as far as it can be told.
 */
export function buildBody<Body>({ prompt, options }: Given, build: () => Body): Body {
  const { system, messages } = fieldsOf(prompt);
  const { model, tools = [], maxTokens = 1 } = fieldsOf(options);
  if (!Array.isArray(system)) throw refusal('prompt.system', 'it is no list');
  if (!Array.isArray(messages)) throw refusal('prompt.messages', 'it is no list');
  if (typeof model !== 'string' || model === '') throw refusal('model', 'it is no name');
  if (!Array.isArray(tools)) throw refusal('tools', 'it is no list');
  if (typeof maxTokens !== 'number' || !(maxTokens > 0)) throw refusal('maxTokens', 'it is no number above 0');
  try {
    return build();
  } catch (error) {
    if (VarveError.is(error)) throw error;
    throw refusal('(root)', textOf(error), error);
  }
}

/** Checks the options of a port, before a call is made with them. @throws VARVE_OPTION_INVALID */
export function checkPortOptions(options: unknown): void {
  const { model, provider = 'provider' } = fieldsOf(options);
  if (typeof model !== 'string' || model === '') throw refusal('model', 'it is no name');
  if (typeof provider !== 'string' || provider === '') throw refusal('provider', 'it is no name');
}

/**
 * Reads an answer of a provider.
 *
 * @param api  Whose answer it should be, for the error: `the Messages API`.
 * @throws VARVE_MODEL_FAILED  for what is no answer, such as the page of a proxy.
 */
export function readAnswer(api: string, read: () => ModelReply): ModelReply {
  try {
    return read();
  } catch (error) {
    if (VarveError.is(error)) throw error;
    throw new VarveError('VARVE_MODEL_FAILED', `This is no answer of ${api}: ${textOf(error)}`, {
      fix: 'Give the whole answer as the client returns it, and { tools } as a list.',
      cause: error,
      details: { kind: 'other', retryable: false },
    });
  }
}

/** The fields of an object; none of anything else. */
function fieldsOf(given: unknown): { readonly [field: string]: unknown } {
  return typeof given === 'object' && given !== null ? (given as { readonly [field: string]: unknown }) : {};
}

function refusal(path: string, why: string, cause?: unknown): VarveError {
  return new VarveError('VARVE_OPTION_INVALID', `No request can be made: at ${path}, ${why}.`, {
    fix: 'Give a prompt of session.assemble, and { model } as the name of a model, with tools as a list.',
    cause,
    details: { path },
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'something was thrown that is no error';
}
