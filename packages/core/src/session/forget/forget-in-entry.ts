import type { CompactionEntry, Digest, Edit, Entry, RequestEntry } from '../../journal/entry.ts';
import type { JsonValue } from '../../json-value.ts';
import type { Seq, Ulid } from '../../units.ts';
import type { ForgottenText } from './forgotten-text.ts';

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
      return { ...entry, layers: entry.layers.map((layer) => layerWithout(layer, text)) };
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

function layerWithout(layer: RequestEntry['layers'][number], text: ForgottenText): RequestEntry['layers'][number] {
  const sources = layer.sources.map((source) => ({ ...source, path: text.redact(source.path) }));
  return { ...layer, sources, ...(layer.text === undefined ? {} : { text: text.redact(layer.text) }) };
}

/** Records, and entries of types that a later version has made: their texts are looked through, whatever they mean. */
function unknownWithout(entry: Entry, text: ForgottenText): Entry {
  const { v, id, parentId, seq, at, type, ...rest } = entry;
  const redacted = text.redactJson(rest as unknown as JsonValue) as object;
  return { v, id, parentId, seq, at, type, ...redacted } as Entry;
}
