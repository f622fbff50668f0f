import { type Entry, type Manifest, type Prompt, VarveError } from '@varve/core';

/** Fields that say when and under which name something was stored, which no sample is about. */
const volatile: ReadonlySet<string> = new Set(['v', 'id', 'parentId', 'at', 'turnId', 'firstChangedByte', 'entryId']);

/**
 * Makes a result comparable and readable: without times and ids, entries named as prompts name them (`#4`), a prompt as
 * what is sent and why, an error as its code and message, and a text of several lines as a list of them.
 */
export function readableResult(value: unknown, { entries }: { readonly entries: readonly Entry[] }): unknown {
  const names = new Map(entries.map(({ id, seq }) => [id, `#${seq}`]));
  return readable(value, names);
}

function readable(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return readableText(names.get(value) ?? value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => readable(one, names));
  if (VarveError.is(value)) return { code: value.code, message: value.message };
  if (value instanceof Error) return { message: value.message };
  if (isPrompt(value)) return readable(viewOfPrompt(value), names);
  if (isReference(value)) return `#${value.seq}`;
  const isRequest = 'type' in value && value.type === 'request';
  const kept = Object.entries(value).filter(
    ([name, one]) => one !== undefined && !volatile.has(name) && !(isRequest && name === 'by'),
  );
  return Object.fromEntries(kept.map(([name, one]) => [name, readable(one, names)]));
}

function readableText(text: string): string | readonly string[] {
  return text.includes('\n') ? text.split('\n') : text;
}

function isPrompt(value: object): value is Prompt {
  return 'manifest' in value && 'messages' in value;
}

/** True for the name of an entry, and nothing else. */
function isReference(value: object): value is { readonly id: string; readonly seq: number } {
  return Object.keys(value).sort().join() === 'id,seq';
}

function viewOfPrompt({ system, messages, tokens, manifest }: Prompt): object {
  const { notes, actions, madeUpTokens } = manifest;
  return {
    system,
    messages,
    tokens,
    ...(madeUpTokens === 0 ? {} : { madeUpTokens }),
    verdicts: verdictsOf(manifest),
    ...(notes.length === 0 ? {} : { notes: notes.map(({ by, rule, seqs, isNew }) => ({ by, rule, seqs, isNew })) }),
    ...(actions.length === 0 ? {} : { actions }),
  };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
  readonly rule: string | undefined;
  readonly by: string | undefined;
}

/** Verdicts of all entries, those next to each other with the same one as one. */
function verdictsOf({ ranges, entries }: Manifest): readonly object[] {
  const given: readonly Stretch[] = [
    ...ranges.map(({ fromSeq, toSeq, kind, rule, by }) => ({ from: fromSeq, to: toSeq, kind, rule, by })),
    ...entries.map(({ seq, kind, rule, by }) => ({ from: seq, to: seq, kind, rule, by })),
  ].sort((a, b) => a.from - b.from);
  const joined: Stretch[] = [];
  for (const one of given) {
    const before = joined.at(-1);
    const isSame = before?.kind === one.kind && before.rule === one.rule && before.by === one.by;
    if (before !== undefined && isSame) joined[joined.length - 1] = { ...before, to: one.to };
    else joined.push(one);
  }
  return joined.map(({ from, to, kind, rule, by }) => ({
    entries: from === to ? `${from}` : `${from}–${to}`,
    kind,
    rule,
    by,
  }));
}
