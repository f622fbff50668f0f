import { cutText } from './cut-text.ts';
import { messageOfError } from './errors.ts';
import type { ToolCallPart, ToolOutput } from './message.ts';

/** Characters of an error, and of arguments that cannot be read, that a model is told. */
const longestError = 1_000;
const longestArguments = 200;

/** What a model is told in place of what a tool would have given. */
export function toolError(value: string): ToolOutput {
  return { type: 'error-text', value };
}

/** What a model is told of a tool that threw. */
export function toolFailure(toolName: string, error: unknown): ToolOutput {
  // Some errors carry a stack in their message: it says nothing to a model, and much about the machine.
  const lines = messageOfError(error).split('\n');
  const message = lines.filter((line) => !/^\s+at /.test(line)).join('\n');
  return toolError(`The tool "${toolName}" failed: ${cut(message, longestError) || 'it did not say why'}`);
}

/**
 * What a model is told of a call whose arguments a port could not read, and marked with
 * `providerOptions.varve.invalidInput`: what was read of them is not what the model meant. `null` for any other call.
 */
export function unreadableArguments({ providerOptions = {}, input }: ToolCallPart): ToolOutput | null {
  const { varve = {} } = providerOptions;
  const { invalidInput } = varve;
  if (invalidInput !== true) return null;
  const shown = cut(typeof input === 'string' ? input : JSON.stringify(input), longestArguments);
  return toolError(`The tool was not run: its arguments are not valid JSON. They begin with: ${shown}`);
}

function cut(text: string, characters: number): string {
  return text.length > characters ? `${cutText(text, 0, characters)}…` : text;
}
