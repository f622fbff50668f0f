import type { FilePart, ImagePart, JsonValue, TextPart, ToolOutput } from '@varve/core';

/**
 * The output of a tool that answered in parts. One text, or none, is plain text; an error is text; an error that shows
 * an image keeps the image, for which error outputs have no place.
 */
export function outputOfParts(parts: readonly (TextPart | ImagePart | FilePart)[], isError: boolean): ToolOutput {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length < parts.length) return { type: 'content', value: parts };
  if (isError) return { type: 'error-text', value: texts.join('\n') };
  return texts.length > 1 ? { type: 'content', value: parts } : { type: 'text', value: texts[0] ?? '' };
}

/** The output of a tool that answered with any JSON: a text stays text, and nothing is an empty one. */
export function outputOfValue(value: JsonValue | undefined, isError: boolean): ToolOutput {
  if (value === undefined || value === null) return { type: isError ? 'error-text' : 'text', value: '' };
  if (typeof value === 'string') return { type: isError ? 'error-text' : 'text', value };
  return { type: isError ? 'error-json' : 'json', value };
}
