import { isObject, type JsonObject, stringAt, valueAt } from './json-guards.ts';
import { type SourceOptions, sourceLines } from './source-lines.ts';

/**
 * True when every message of the file belongs to a side chain: then the file is a conversation of its own, the one of
 * a sub-agent. Stops at the first message that does not, which in the file of a main conversation is mostly the first.
 */
export async function isSideChainFile(path: string, options: SourceOptions): Promise<boolean> {
  let found = false;
  for await (const lines of sourceLines(path, { size: options.size, signal: options.signal })) {
    const messages = lines.map(({ value }) => value).filter((value) => isObject(value) && isMessageLine(value));
    if (!messages.every((value) => isObject(value) && isSideChainLine(value))) return false;
    found ||= messages.length > 0;
  }
  return found;
}

/** True for a line of a side chain. */
export function isSideChainLine(value: JsonObject): boolean {
  return valueAt(value, 'isSidechain') === true;
}

function isMessageLine(value: JsonObject): boolean {
  const type = stringAt(value, 'type');
  return type === 'user' || type === 'assistant';
}
