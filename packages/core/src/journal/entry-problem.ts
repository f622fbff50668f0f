import { isStoredMessage } from '../message.ts';
import type { Entry } from './entry.ts';

/** Deepest nesting that is read: more than is ever stored, and less than what overflows the stack of who walks it. */
const deepestNesting = 600;

type Check = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber: Check = (value) => Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isAny: Check = () => true;
const oneOf =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));
const optional = (check: Check): Check => oneOf((value) => value === undefined, check);
const orNull = (check: Check): Check => oneOf((value) => value === null, check);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

function having(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields);
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    checks.every(([name, check]) => check((value as Readonly<Record<string, unknown>>)[name]));
}

const reference = having({ id: isText, seq: isCount });
const line = having({ seq: isCount, text: isText });
const edits = list(
  having({
    entryId: isText,
    seq: isCount,
    part: optional(isCount),
    rule: isText,
    text: isText,
    verdict: optional(isText),
  }),
);
const fact = having({
  kind: isText,
  text: isText,
  label: optional(isText),
  firstSeq: isCount,
  lastSeq: isCount,
  uses: isNumber,
  by: isText,
});
const digest = having({
  task: orNull(line),
  userLog: list(line),
  ledger: list(fact),
  shares: having({ userLogTokens: isNumber, ledgerTokens: isNumber }),
});
const noteName = { id: isText, by: isText, rule: isText, afterSeq: isCount };

/** The shape of each type of entry, as far as what reads it relies on it. Records are their owner's. */
const shapes: Readonly<Record<string, Check>> = {
  message: having({
    message: isStoredMessage,
    provenance: having({ kind: isText }),
    tokens: having({ n: isNumber, by: isText }),
    usage: optional(having({ inputTokens: isNumber, outputTokens: isNumber })),
    turnId: optional(isText),
    promptSeq: optional(isCount),
    key: optional(isText),
    forgotten: optional(having({ at: isNumber, reason: isText })),
  }),
  compaction: having({
    range: having({ from: reference, to: reference, firstKept: orNull(reference), held: orNull(reference) }),
    previousId: orNull(isText),
    trigger: isText,
    instructions: optional(isText),
    tokensBefore: isNumber,
    tokensAfter: isNumber,
    by: having({ plugin: isText, version: isText, model: optional(isText) }),
    prose: orNull(isText),
    digest,
    edits,
    quality: optional(isText),
  }),
  edit: having({ by: isText, edits }),
  setting: having({ name: isText, value: (value) => value !== undefined }),
  state: having({ slot: isText, text: orNull(isText) }),
  head: having({ targetId: isText, targetSeq: isCount, reason: isText }),
  revoke: having({ targetId: isText }),
  request: having({
    model: isText,
    budget: optional(orNull(isNumber)),
    tokens: isNumber,
    reserved: optional(isNumber),
    window: optional(isNumber),
    factor: optional(isNumber),
    firstChangedByte: optional(orNull(isNumber)),
    changes: list(
      having({ seq: isCount, toSeq: optional(isCount), verdict: isText, rule: optional(isText), by: optional(isText) }),
    ),
    layers: list(
      having({
        id: isText,
        tokens: isNumber,
        sources: list(having({ path: isText })),
        text: optional(isText),
        seqs: optional(list(isCount)),
        by: optional(isText),
      }),
    ),
    notes: optional(list(having({ ...noteName, text: isText, tokens: isNumber, seqs: list(isCount) }))),
    rebuiltSeq: optional(isCount),
    leftOutNotes: optional(list(having(noteName))),
  }),
};

const base = having({ id: isText, parentId: orNull(isText), seq: isCount, at: isNumber, type: isText });

/**
 * What is wrong with an entry of a journal that anybody may have written; `null` when it can be relied on. Asked for
 * each entry that a session reads, and by who reads journals without one.
 *
 * @param options.isAnyType  Whether version and type may be ones that are not known here. @default false
 */
export function entryProblem(
  entry: Entry,
  { isAnyType = false }: { readonly isAnyType?: boolean } = {},
): string | null {
  if (!base(entry)) return 'it lacks a field';
  const { v, type }: { readonly v: unknown; readonly type: string } = entry;
  if (v !== 1 && !isAnyType) return `it is of version ${JSON.stringify(v)}`;
  const hasShape = v === 1 && Object.hasOwn(shapes, type) ? (shapes[type] as Check) : isAny;
  if (hasShape === isAny && !isAnyType && !type.includes(':')) return 'its type is unknown';
  if (isDeeperThan(entry, deepestNesting)) return 'it is nested too deeply';
  if (!hasShape(entry)) return `it is no ${type}`;
  return entry.type === 'request' && v === 1 && !namesEarlier(entry) ? 'its verdicts are of no earlier entry' : null;
}

/** Verdicts name earlier entries, each once or twice: others would take for ever to be applied. */
function namesEarlier({ changes, seq: own }: Extract<Entry, { readonly type: 'request' }>): boolean {
  let named = 0;
  for (const { seq, toSeq = seq } of changes) {
    if (toSeq >= own) return false;
    named += Math.max(1, toSeq - seq + 1);
  }
  return named <= 2 * own;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const name in value) {
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true;
  }
  return false;
}
