import type { JsonValue } from '../../json-value.ts';

/** Shortest stretch of a forgotten text that counts as a quotation of it, in UTF-16 code units. */
const quoteLength = 12;

/** Most stretches that are remembered: longer texts are looked at in wider steps, so that memory stays bounded. */
const mostStretches = 1_048_576;

/** Bits of the filter that spares most places of a text the look-up. */
const filterBits = 22;

/** Stands where a quotation of something forgotten stood. */
export const redaction = '[forgotten]';

/** The texts that are to be forgotten, and how what quotes them is found and blanked. */
export interface ForgottenText {
  /** Takes back what stays in the journal anyway: somebody else said it too. */
  spare(text: string): void;
  /** Whether a text shares a stretch of 12 code units with a forgotten one. */
  quotes(text: string): boolean;
  /** The text with the lines that quote a forgotten one blanked. */
  redact(text: string): string;
  /** A value with the same done to every text in it; names of fields that quote are left out with what they hold. */
  redactJson(value: JsonValue): JsonValue;
}

/**
 * Remembers every stretch of 12 code units of the texts. When they are longer than a million together, every n-th one:
 * a quotation is found then when it is n longer.
 */
export function rememberForgotten(given: readonly string[]): ForgottenText {
  const texts = given.flatMap(writingsOf);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const step = Math.max(1, Math.ceil(length / mostStretches));
  const stretches = new Set<string>();
  const filter = new Uint8Array(2 ** filterBits);
  for (const text of texts) {
    eachStretch(text, (hash, start) => {
      if (start % step !== 0) return false;
      stretches.add(text.slice(start, start + quoteLength));
      filter[hash] = 1;
      return false;
    });
  }
  const isStretch = (text: string, hash: number, start: number): boolean =>
    filter[hash] === 1 && stretches.has(text.slice(start, start + quoteLength));
  const quotes = (text: string): boolean => eachStretch(text, (hash, start) => isStretch(text, hash, start));
  const redact = (text: string): string => {
    if (!quotes(text)) return text;
    const lines = text.split('\n').map((line) => (quotes(line) ? redaction : line));
    const joined = lines.join('\n');
    return quotes(joined) ? redaction : joined;
  };
  const redactJson = (value: JsonValue): JsonValue => mapTexts(value, { text: redact, dropsName: quotes });
  return {
    spare: (given) => {
      for (const text of writingsOf(given)) {
        eachStretch(text, (hash, start) => {
          if (filter[hash] === 1) stretches.delete(text.slice(start, start + quoteLength));
          return false;
        });
      }
    },
    quotes,
    redact,
    redactJson,
  };
}

/** Every text in a JSON value, names of fields included. Not recursive: documents may be nested deeply. */
export function textsOfJson(root: JsonValue): readonly string[] {
  const texts: string[] = [];
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (typeof value === 'object' && value !== null) {
      if (!Array.isArray(value)) texts.push(...Object.keys(value));
      for (const part of Object.values(value)) if (part !== undefined) open.push(part as JsonValue);
    }
  }
  return texts;
}

/** A text as it is, and as it stands in a text that holds JSON. */
function writingsOf(text: string): readonly string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  return escaped === text ? [text] : [text, escaped];
}

const hashBase = 0x01000193;
const leadingPower = Array.from({ length: quoteLength - 1 }).reduce<number>((power) => Math.imul(power, hashBase), 1);

/** Calls `visit` with each stretch's hash, which rolls along the text, until it says true. */
function eachStretch(text: string, visit: (hash: number, start: number) => boolean): boolean {
  let hash = 0;
  for (let end = 0; end < text.length; end += 1) {
    const start = end - quoteLength + 1;
    if (start > 0) hash -= Math.imul(text.charCodeAt(start - 1), leadingPower);
    hash = (Math.imul(hash, hashBase) + text.charCodeAt(end)) | 0;
    if (start >= 0 && visit(hash >>> (32 - filterBits), start)) return true;
  }
  return false;
}

function mapTexts(
  value: JsonValue,
  change: { readonly text: (text: string) => string; readonly dropsName: (name: string) => boolean },
): JsonValue {
  if (typeof value === 'string') return change.text(value);
  if (typeof value === 'number') return change.dropsName(String(value)) ? 0 : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part: JsonValue) => mapTexts(part, change));
  const kept = Object.entries(value).filter(([name]) => !change.dropsName(name));
  return Object.fromEntries(kept.map(([name, part]) => [name, mapTexts(part as JsonValue, change)]));
}
