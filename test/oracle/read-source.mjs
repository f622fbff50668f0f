import { readFileSync } from 'node:fs';
import { claudeCodeItem } from './read-claude-code.mjs';
import { openAiItems } from './read-openai.mjs';
import { piItem } from './read-pi.mjs';

/**
 * What the judge knows of a message. `where` is its place in the file, such as `line:12` (`line:12.2` for the second of
 * one line) or `message:3`; `role` is system, user, assistant or tool; `meta` marks what the tool, not the user, said in
 * the user's place.
 *
 * @typedef {{ where: string, role: string, meta?: boolean, blocks: SourceBlock[] }} SourceMessage
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
 * Reads a transcript: a session of pi or Claude Code, or messages in the form of OpenAI.
 *
 * @returns {{ format: string, items: SourceItem[] }}
 */
export function readSource(path) {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const document = parsed(text);
  if (Array.isArray(document) || Array.isArray(document?.messages)) return openAi(document, false);
  const lines = text.split('\n').map((line, index) => ({ line: index + 1, value: parsed(line) }));
  const objects = lines.filter(({ value }) => typeof value === 'object' && value !== null);
  const first = objects.map(({ value }) => formatOf(value)).find((format) => format !== null);
  if (first === 'pi') return { format: 'pi', items: [piItem(objects)] };
  if (first === 'claude-code') return { format: 'claude-code', items: [claudeCodeItem(objects)] };
  if (first === 'openai-messages') return openAi(objects, true);
  throw new Error(`${path}: no transcript that the judge can read`);
}

function openAi(source, isLines) {
  const items = openAiItems(source, { isLines });
  if (items.length === 0) throw new Error('the judge finds no conversation in the document');
  return { format: 'openai-messages', items };
}

function formatOf(value) {
  const { type, message } = value;
  if (type === 'session' || (type === 'message' && typeof message?.role === 'string')) return 'pi';
  if ((type === 'user' || type === 'assistant') && typeof message?.role === 'string') return 'claude-code';
  if (['summary', 'file-history-snapshot', 'queue-operation', 'system'].includes(type)) return 'claude-code';
  return Array.isArray(value.messages) || typeof value.role === 'string' ? 'openai-messages' : null;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
