import type { CompactionEntry, Digest, Edit, Entry, RequestEntry, RequestLayer } from '../../journal/entry.ts';
import type { JsonValue } from '../../json-value.ts';
import type { Seq, Ulid } from '../../units.ts';
import { type ForgottenText, redaction } from './forgotten-text.ts';

/** The messages that are forgotten, and their text. */
interface ForgetContext {
  readonly targets: ReadonlyMap<Ulid, Seq>;
  readonly text: ForgottenText;
}

/**
 * An entry without what it quotes of forgotten messages. Messages stay as they are; ids, seqs and names (of models,
 * rules, settings, slots and record types) stay too: they are the host's and the plugins', not what was said.
 */
export function forgetInEntry(entry: Entry, context: ForgetContext): Entry {
  const { text } = context;
  switch (entry.type) {
    case 'message':
    case 'head':
    case 'revoke':
      return entry;
    case 'compaction':
      return compactionWithout(entry, context);
    case 'edit':
      return { ...entry, edits: entry.edits.filter((edit) => staysEdited(edit, context)) };
    case 'setting':
      return entry.name === 'model' ? entry : { ...entry, value: text.redactJson(entry.value) };
    case 'state':
      return entry.text === null ? entry : { ...entry, text: text.redact(entry.text) };
    case 'request':
      return requestWithout(entry, context);
    default:
      return unknownWithout(entry, text);
  }
}

/** An edit shows a part in other words: it goes when those words, or that part, are forgotten. */
function staysEdited({ entryId, text }: Edit, context: ForgetContext): boolean {
  return !context.targets.has(entryId) && !context.text.quotes(text);
}

function compactionWithout(entry: CompactionEntry, context: ForgetContext): CompactionEntry {
  const { text } = context;
  const { instructions, quality } = entry;
  return {
    ...entry,
    prose: entry.prose === null || text.quotes(entry.prose) ? null : entry.prose,
    digest: digestWithout(entry.digest, text),
    edits: entry.edits.filter((edit) => staysEdited(edit, context)),
    ...(instructions === undefined ? {} : { instructions: text.redact(instructions) }),
    ...(quality === undefined ? {} : { quality: text.redact(quality) }),
  };
}

function digestWithout({ task, userLog, ledger, shares }: Digest, text: ForgottenText): Digest {
  return {
    task: task === null || text.quotes(task.text) ? null : task,
    userLog: userLog.filter((line) => !text.quotes(line.text)),
    ledger: ledger.filter((fact) => !text.quotes(fact.text) && !text.quotes(fact.label ?? '')),
    shares,
  };
}

/** A note goes as a whole when it quotes something forgotten, by what it says or by what its plugin said of it. */
function requestWithout(entry: RequestEntry, context: ForgetContext): RequestEntry {
  const layers = entry.layers.map((layer) => layerWithout(layer, context));
  if (entry.notes === undefined) return { ...entry, layers };
  const notes = entry.notes.filter((note) => !quotesTarget(note, context) && !context.text.quotes(note.text));
  return { ...entry, layers, notes };
}

function layerWithout(layer: RequestLayer, context: ForgetContext): RequestLayer {
  const { text } = context;
  const sources = layer.sources.map((source) => ({ ...source, path: text.redact(source.path) }));
  if (layer.text === undefined) return { ...layer, sources };
  return { ...layer, sources, text: quotesTarget(layer, context) ? redaction : text.redact(layer.text) };
}

function quotesTarget(
  { seqs = [] }: { readonly seqs?: readonly Seq[] | undefined },
  { targets }: ForgetContext,
): boolean {
  const forgotten = new Set(targets.values());
  return seqs.some((seq) => forgotten.has(seq));
}

/** Records, and entries that cannot be read here: their texts are looked through, whatever they mean. */
export function unknownWithout(entry: Entry, text: ForgottenText): Entry {
  const { v, id, parentId, seq, at, type, ...rest } = entry;
  const redacted = text.redactJson(rest as unknown as JsonValue) as object;
  return { v, id, parentId, seq, at, type, ...redacted } as Entry;
}
