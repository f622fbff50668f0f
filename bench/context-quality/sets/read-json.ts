import { readFileSync } from 'node:fs';

/** What a JSON file holds; loaders know its shape. */
// biome-ignore lint/suspicious/noExplicitAny: foreign files, read once, and checked by what comes out of them
export type Foreign = any;

/** A whole JSON file. */
export function readJson(path: string): Foreign {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** A file of one JSON value a line; empty lines are left out. */
export function readLines(path: string): readonly Foreign[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

/** The text of content that is a string, or blocks of text, images and nested results. */
export function textOfBlocks(content: Foreign): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => {
      if (block.type === 'text') return block.text;
      if (block.type === 'tool_result') return textOfBlocks(block.content);
      return block.type === 'image' ? '[image]' : '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

/** Arguments that a file keeps as JSON text. */
export function parsedArguments(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {};
  try {
    return JSON.parse(given);
  } catch {
    return { text: given };
  }
}
