import {
  type AssistantMessage,
  cutText,
  type JsonValue,
  type ProviderOptions,
  type ToolCallPart,
  type ToolResultPart,
} from '@varve/core';

/** The input of a call as it was read, and a mark when it is not JSON. */
interface ReadInput {
  readonly input: JsonValue;
  readonly providerOptions?: ProviderOptions;
}

/** How much of arguments that cannot be read is shown to the model again, in UTF-16 code units. */
const shownChars = 200;

/**
 * Reads the arguments of a call. No arguments are an empty object. What is not JSON (a model's slip, or the end of its
 * output limit) is kept as a string, and the call is marked with `providerOptions.varve.invalidInput`.
 */
export function readArguments(text: string): ReadInput {
  if (text.trim() === '') return { input: {} };
  try {
    return { input: JSON.parse(text) as JsonValue };
  } catch {
    return { input: text, providerOptions: { varve: { invalidInput: true } } };
  }
}

/** The input as an object, which is what providers ask for; anything else becomes the field `value` of one. */
export function objectInput(input: JsonValue): { readonly [key: string]: JsonValue | undefined } {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? (input as { readonly [key: string]: JsonValue | undefined }) : { value: input };
}

/**
 * Error results for the calls of a message whose arguments could not be read. Whoever runs tools gives these back
 * instead of running them: the model sees what was wrong and can call again. Nothing for a message without such calls.
 */
export function invalidCallResults(message: AssistantMessage): readonly ToolResultPart[] {
  if (typeof message.content === 'string') return [];
  return message.content
    .filter((part) => part.type === 'tool-call')
    .filter(isInvalid)
    .map(resultOfInvalidCall);
}

function isInvalid({ providerOptions = {} }: ToolCallPart): boolean {
  const { varve = {} } = providerOptions;
  const { invalidInput } = varve;
  return invalidInput === true;
}

function resultOfInvalidCall({ toolCallId, toolName, input }: ToolCallPart): ToolResultPart {
  const shown = cutText(typeof input === 'string' ? input : JSON.stringify(input), 0, shownChars);
  const value = `The tool was not run: its arguments are not valid JSON. They begin with: ${shown}`;
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value } };
}
