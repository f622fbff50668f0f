import { type Entry, type Manifest, type Prompt, VarveError } from '@varve/core';

/** Fields that say when and under which name something was stored, which no sample is about. */
const ofEntries: ReadonlySet<string> = new Set(['v', 'id', 'parentId', 'at']);
const ofAll: ReadonlySet<string> = new Set(['turnId', 'entryId', 'firstChangedByte', 'rebuiltSeq']);

/**
 * Makes a result comparable and readable: without times and ids, entries named as prompts name them (`#4`), a prompt as
 * what is sent and why, an error as its code and message, and a text of several lines as a list of them.
 */
export function readableResult(value: unknown, { entries }: { readonly entries: readonly Entry[] }): unknown {
  const names = new Map(entries.map(({ id, seq }) => [id, `#${seq}`]));
  return readable(value, names);
}

function readable(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return readableText(value, names);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => readable(one, names));
  if (VarveError.is(value)) return { code: value.code, message: value.message };
  if (value instanceof Error) return { message: value.message };
  if (isPrompt(value)) return readable(viewOfPrompt(value), names);
  if (isReference(value)) return `#${value.seq}`;
  const isEntry = 'seq' in value && 'parentId' in value;
  const isRequest = isEntry && 'type' in value && value.type === 'request';
  const kept = Object.entries(value).filter(
    ([name, one]) =>
      one !== undefined && !ofAll.has(name) && !(isEntry && ofEntries.has(name)) && !(isRequest && name === 'by'),
  );
  return Object.fromEntries(kept.map(([name, one]) => [name, readable(one, names)]));
}

function readableText(text: string, names: ReadonlyMap<string, string>): string | readonly string[] {
  const named = text.replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => names.get(id) ?? id);
  return named.includes('\n') ? named.split('\n') : named;
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

/** What became of one entry. */
interface SeqVerdict {
  readonly seq: number;
  readonly kind: string;
  readonly rule: string | undefined;
  readonly by: string | undefined;
}

/** Verdicts of all entries, those next to each other with the same one as one: `1–4, 6`. */
function verdictsOf({ ranges, entries }: Manifest): readonly object[] {
  const bySeq = new Map<number, SeqVerdict>();
  for (const { fromSeq, toSeq, kind, rule, by } of ranges)
    for (let seq = fromSeq; seq <= toSeq; seq += 1) bySeq.set(seq, { seq, kind, rule, by });
  for (const { seq, kind, rule, by } of entries) bySeq.set(seq, { seq, kind, rule, by });
  const joined: SeqVerdict[][] = [];
  for (const one of [...bySeq.values()].sort((a, b) => a.seq - b.seq)) {
    const before = joined.at(-1)?.[0];
    const isSame = before?.kind === one.kind && before.rule === one.rule && before.by === one.by;
    if (isSame) joined.at(-1)?.push(one);
    else joined.push([one]);
  }
  return joined.map((same) => {
    const [{ kind, rule, by } = {}] = same;
    return { entries: nameSeqs(same.map(({ seq }) => seq)), kind, rule, by };
  });
}

/** Seqs in order, as stretches. */
function nameSeqs(seqs: readonly number[]): string {
  const stretches: { from: number; to: number }[] = [];
  for (const seq of seqs) {
    const last = stretches.at(-1);
    if (last?.to === seq - 1) last.to = seq;
    else stretches.push({ from: seq, to: seq });
  }
  return stretches.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
