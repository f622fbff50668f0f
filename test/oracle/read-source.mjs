import { readFileSync } from 'node:fs';
import { claudeCodeItem } from './read-claude-code.mjs';
import { messagesOf, readDocument } from './read-conversations.mjs';
import { readMessageLines } from './read-message-lines.mjs';
import { piItem } from './read-pi.mjs';
import { isTypedLine, typedLinesItem } from './read-typed-lines.mjs';

/**
 * What the judge knows of a message. `where` is its place in the file, such as `line:12` (`line:12.2` for the second of
 * one line) or `message:3`; `role` is system, user, assistant or tool; `meta` marks what the tool, not the user, said in
 * the user's place, `observed` such words that are the result of an action: the model answers them.
 *
 * @typedef {{ where: string, role: string, meta?: boolean, observed?: boolean, blocks: SourceBlock[] }} SourceMessage
 *
 * A block: `text` (with `all`, the words that must stand in a text whose wording is the reader's own), `call`,
 * `result`, `thinking` (with `required: true` where it has a signature) or `media`.
 *
 * @typedef {{ type: string, text?: string, all?: string[], texts?: string[], id?: string, name?: string,
 *   input?: unknown, media?: number, failed?: boolean, required?: boolean }} SourceBlock
 *
 * One conversation: its messages in order, and for each call of a model the number of messages before it.
 *
 * @typedef {{ messages: SourceMessage[], calls: number[] }} SourceItem
 */

/**
 * Reads a transcript: a document with conversations, or lines of pi, Claude Code and others.
 *
 * @returns {{ format: string, items: SourceItem[] }}
 */
export function readSource(path) {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const source = readDocument(parsed(text)) ?? readLines(text);
  if (source === null) throw new Error(`${path}: no transcript that the judge can read`);
  return source;
}

function readLines(text) {
  const lines = text.split('\n').map((line, index) => ({ line: index + 1, value: parsed(line) }));
  const objects = lines.filter(({ value }) => typeof value === 'object' && value !== null);
  const format = objects.map(({ value }) => formatOf(value)).find((one) => one !== null);
  if (format === 'pi') return { format, items: [piItem(objects)] };
  if (format === 'typed-lines') return { format, items: [typedLinesItem(objects)] };
  if (format === 'claude-code') return { format, items: [claudeCodeItem(objects)] };
  if (format === 'conversations') return readDocument(objects.map(({ value }) => value));
  return format === 'messages' ? readMessageLines(objects) : null;
}

function formatOf(value) {
  const { type, message } = value;
  if (type === 'session' || (type === 'message' && typeof message?.role === 'string')) return 'pi';
  if (isTypedLine(value)) return 'typed-lines';
  if ((type === 'user' || type === 'assistant') && typeof message?.role === 'string') return 'claude-code';
  if (['summary', 'file-history-snapshot', 'queue-operation', 'system'].includes(type)) return 'claude-code';
  if (messagesOf(value) !== null) return 'conversations';
  return typeof value.role === 'string' ? 'messages' : null;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
