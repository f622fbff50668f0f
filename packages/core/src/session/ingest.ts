import { throwIfAborted, VarveError } from '../errors.ts';
import type { MessageEntry, NewEntry } from '../journal/entry.ts';
import { defaultProvenance, type Message, messageSchema, type Provenance, type Usage } from '../message.ts';
import { callEngine, plainFacts, runHook, type SessionRuntime, viewOfSession } from './session-runtime.ts';

/** What a host may say about a message. */
export interface IngestOptions {
  /** Where it came from. @default by role */
  readonly provenance?: Provenance | undefined;
  /** The host's own id: a known key returns the first entry and appends nothing. The last 1 000 keys are known. */
  readonly key?: string | undefined;
  /** What the provider reported, for an assistant message. */
  readonly usage?: Usage | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts a message into the journal: checks its shape, lets plugins rewrite it, counts it, appends it.
 *
 * @throws VARVE_MESSAGE_INVALID, VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED; nothing is stored then.
 */
export async function ingestMessage(
  runtime: SessionRuntime,
  message: Message,
  options: IngestOptions,
): Promise<MessageEntry> {
  throwIfAborted(options.signal);
  const known = options.key === undefined ? undefined : await entryOfKey(runtime, options.key);
  if (known !== undefined) return known;
  checkMessage(message);
  const records: NewEntry[] = [];
  const facts = plainFacts(options.signal, records);
  const given = { message, provenance: options.provenance ?? defaultProvenance(message) };
  const rewritten = (await runHook(runtime, { hook: 'ingest', value: given }, facts)) ?? given;
  const n = runtime.counter.countMessage(rewritten.message);
  const { key, usage } = options;
  const appended = await runtime.journal.append([
    ...records.splice(0),
    {
      type: 'message',
      message: rewritten.message,
      provenance: rewritten.provenance,
      tokens: { n, by: runtime.counter.id },
      ...(usage === undefined ? {} : { usage }),
      ...(key === undefined ? {} : { key }),
    },
  ]);
  const entry = (appended.at(-1) ?? (await entryOfKey(runtime, key ?? ''))) as MessageEntry;
  await callEngine(
    runtime,
    {
      method: 'ingest',
      invoke: (engine, { signal }) =>
        engine.ingest({ session: viewOfSession(runtime, engine.info.id), entry, turn: 'user', signal }),
      check: (result) => result,
      fallback: async () => ({ ingested: true }),
    },
    facts,
  );
  for (const record of records) runtime.journal.defer(record);
  return entry;
}

async function entryOfKey({ journal }: SessionRuntime, key: string): Promise<MessageEntry | undefined> {
  const seq = journal.seqOfKey(key);
  if (seq === undefined) return undefined;
  const [entry] = await journal.journal.get([seq]);
  return entry?.type === 'message' ? entry : undefined;
}

function checkMessage(message: Message): void {
  const result = messageSchema.safeParse(message);
  if (result.success) return;
  const issue = result.error.issues[0];
  const path = issue?.path.map(String).join('.') || '(root)';
  throw new VarveError('VARVE_MESSAGE_INVALID', `The message is not valid at ${path}: ${issue?.message ?? ''}`, {
    fix: 'Give { role, content } as the type Message describes it.',
    details: { path },
  });
}
