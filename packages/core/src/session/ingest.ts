import { throwIfAborted } from '../errors.ts';
import type { MessageEntry, NewEntry } from '../journal/entry.ts';
import {
  defaultProvenance,
  type Message,
  type Provenance,
  requireMessage,
  requireProvenance,
  requireUsage,
  type Usage,
} from '../message.ts';
import { markRecovered } from '../recovered-result.ts';
import type { Seq } from '../units.ts';
import { checkIngest } from './option-checks.ts';
import {
  callEngine,
  plainFacts,
  type RunFacts,
  runHook,
  type SessionRuntime,
  viewOfSession,
} from './session-runtime.ts';

/** What a host may say about a message. */
export interface IngestOptions {
  /** Where it came from. @default by role */
  readonly provenance?: Provenance | undefined;
  /**
   * The host's own id: a known key returns the first entry and appends nothing. The last 1 000 keys are known; what was
   * rewound is not known any more, and is appended anew.
   */
  readonly key?: string | undefined;
  /** What the provider reported, for an assistant message. */
  readonly usage?: Usage | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A message with what is said about it, checked and copied: what its maker does with it now changes nothing. */
export interface CheckedMessage extends IngestOptions {
  readonly message: Message;
  readonly provenance: Provenance;
  /** The turn that stores it. */
  readonly turnId?: string | undefined;
  /** For an answer: the last entry that its prompt knew. */
  readonly promptSeq?: Seq | undefined;
}

/**
 * Checks a message and what is said about it, at the border: whatever plain JavaScript gives.
 *
 * @throws VARVE_MESSAGE_INVALID, VARVE_OPTION_INVALID  with the path of what is wrong.
 */
export function checkMessage(given: Message, options: IngestOptions): CheckedMessage {
  checkIngest(options);
  const { key, usage, signal, provenance } = options;
  const message = requireMessage(given);
  return {
    message,
    provenance: provenance === undefined ? defaultProvenance(message) : requireProvenance(provenance),
    usage: usage === undefined ? undefined : requireUsage(usage),
    key,
    signal,
  };
}

/**
 * Puts a message into the journal: lets plugins rewrite it, counts it, appends it, and tells the engine. Once it is
 * stored this resolves: an engine that fails or is aborted then is degraded, and the entry stands.
 *
 * @throws VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED, VARVE_ABORTED; nothing is stored then.
 */
export async function ingestMessage(runtime: SessionRuntime, checked: CheckedMessage): Promise<MessageEntry> {
  const { message, provenance, usage, turnId, promptSeq, key, signal } = checked;
  throwIfAborted(signal);
  const known = key === undefined ? undefined : await entryOfKey(runtime, key);
  if (known !== undefined) return known;
  const records: NewEntry[] = [];
  const facts = plainFacts(signal, records);
  const given = { message, provenance };
  const rewritten = (await runHook(runtime, { hook: 'ingest', value: given }, facts)) ?? given;
  const stored = markRecovered(rewritten.message, recoveringTools(runtime));
  const n = runtime.counter.countMessage(stored);
  const appended = await runtime.journal.append([
    ...records.splice(0),
    {
      type: 'message',
      message: stored,
      provenance: rewritten.provenance,
      tokens: { n, by: runtime.counter.id },
      ...(usage === undefined ? {} : { usage }),
      ...(turnId === undefined ? {} : { turnId }),
      ...(promptSeq === undefined ? {} : { promptSeq }),
      ...(key === undefined ? {} : { key }),
    },
  ]);
  const entry = appended.at(-1) as MessageEntry | undefined;
  if (entry === undefined) return (await entryOfKey(runtime, key ?? '')) as MessageEntry;
  await tellEngine(runtime, entry, facts);
  for (const record of records) runtime.journal.defer(record);
  return entry;
}

/** Names of the tools whose results are marked: whoever runs a tool, this is where its result comes by. */
function recoveringTools({ tools }: SessionRuntime): ReadonlySet<string> {
  return new Set(tools.flatMap(({ tool, definition }) => (tool.recovers === true ? [definition.name] : [])));
}

async function tellEngine(runtime: SessionRuntime, entry: MessageEntry, facts: RunFacts): Promise<void> {
  await callEngine(
    runtime,
    {
      method: 'ingest',
      invoke: (engine, { signal, turn }) =>
        engine.ingest({ session: viewOfSession(runtime, engine.info.id), entry, turn: turn.kind, signal }),
      check: (result) => result,
      fallback: async () => ({ ingested: true }),
      isDone: true,
    },
    facts,
  );
}

async function entryOfKey({ journal }: SessionRuntime, key: string): Promise<MessageEntry | undefined> {
  const seq = journal.seqOfKey(key);
  if (seq === undefined) return undefined;
  const [entry] = await journal.journal.get([seq]);
  return entry?.type === 'message' ? entry : undefined;
}
