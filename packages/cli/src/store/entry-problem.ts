import { type Entry, messageSchema } from '@varve/core';

/** Deepest nesting that is read: more than core stores, and less than what overflows the stack of who prints it. */
const deepestNesting = 600;

/** Fields that are looked at, in entries and in what lies in them. */
type Field =
  | 'type'
  | 'seq'
  | 'id'
  | 'parentId'
  | 'at'
  | 'message'
  | 'tokens'
  | 'key'
  | 'n'
  | 'range'
  | 'from'
  | 'to'
  | 'by'
  | 'plugin'
  | 'tokensBefore'
  | 'tokensAfter'
  | 'trigger'
  | 'edits'
  | 'name'
  | 'slot'
  | 'text'
  | 'targetId'
  | 'model'
  | 'budget'
  | 'firstChangedByte'
  | 'changes'
  | 'layers'
  | 'notes'
  | 'leftOutNotes'
  | 'rebuiltSeq'
  | 'afterSeq'
  | 'seqs'
  | 'toSeq'
  | 'verdict'
  | 'rule';

/** What an entry, or a part of one, looks like before anything is known of it. */
type Raw = Readonly<Partial<Record<Field, unknown>>>;

/** The shape of each type of entry, as far as reading relies on it. Records are their owner's. */
const shapes: Readonly<Record<string, (entry: Raw) => boolean>> = {
  message: ({ message, tokens, key }) =>
    messageSchema.safeParse(message).success && isObject(tokens) && isNumber(tokens.n) && isOptional(isText)(key),
  compaction: ({ range, by, tokensBefore, tokensAfter, trigger }) =>
    isObject(range) &&
    isRef(range.from) &&
    isRef(range.to) &&
    isObject(by) &&
    isText(by.plugin) &&
    [tokensBefore, tokensAfter].every(isNumber) &&
    isText(trigger),
  edit: ({ by, edits }) => isText(by) && Array.isArray(edits),
  setting: ({ name }) => isText(name),
  state: ({ slot, text }) => isText(slot) && (text === null || isText(text)),
  head: ({ targetId }) => isText(targetId),
  revoke: ({ targetId }) => isText(targetId),
  request: (entry) =>
    isText(entry.model) &&
    isNumber(entry.tokens) &&
    (entry.budget === null || isNumber(entry.budget)) &&
    (entry.firstChangedByte === null || isNumber(entry.firstChangedByte)) &&
    hasChanges(entry) &&
    Array.isArray(entry.layers) &&
    entry.layers.every((layer: unknown) => isObject(layer) && isText(layer.id) && isNumber(layer.tokens)) &&
    isOptional((notes) => Array.isArray(notes) && notes.every(isNote))(entry.notes) &&
    isOptional((notes) => Array.isArray(notes) && notes.every(isNoteRef))(entry.leftOutNotes) &&
    isOptional(isCount)(entry.rebuiltSeq),
};

function isNote(note: unknown): boolean {
  if (!isNoteRef(note) || !isText(note.text) || !isNumber(note.tokens)) return false;
  return Array.isArray(note.seqs) && note.seqs.every(isCount);
}

function isNoteRef(note: unknown): note is Raw {
  return isObject(note) && [note.id, note.by, note.rule].every(isText) && isCount(note.afterSeq);
}

/**
 * What is wrong with an entry of a journal that anybody may have written; `null` when it can be relied on.
 *
 * @param options.isAnyType  Whether a type may be one that this version does not know. @default false
 */
export function entryProblem(
  entry: Entry,
  { isAnyType = false }: { readonly isAnyType?: boolean } = {},
): string | null {
  const raw = entry as unknown as Raw;
  const { type, parentId, at } = raw;
  if (!isText(type) || !isNumber(at) || !(parentId === null || isText(parentId))) return 'it lacks a field';
  const hasShape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (hasShape === undefined && !isAnyType && !type.includes(':')) return 'its type is unknown';
  if (isDeeperThan(raw, deepestNesting)) return 'it is nested too deeply';
  return hasShape?.(raw) === false ? `it is no ${type}` : null;
}

/** Changes of verdicts. They name earlier entries, each once or twice: others would take for ever to be applied. */
function hasChanges({ changes, seq: own }: Raw): boolean {
  if (!Array.isArray(changes) || !isCount(own)) return false;
  let named = 0;
  for (const change of changes as readonly unknown[]) {
    if (!isObject(change)) return false;
    const { seq, toSeq = seq, verdict, rule, by } = change;
    if (!isCount(seq) || !isCount(toSeq) || toSeq >= own) return false;
    if (!isText(verdict) || ![rule, by].every(isOptional(isText))) return false;
    named += Math.max(1, toSeq - seq + 1);
  }
  return named <= 2 * own;
}

function isRef(value: unknown): boolean {
  return isObject(value) && isText(value.id) && isCount(value.seq);
}

function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOptional(check: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || check(value);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1));
}
