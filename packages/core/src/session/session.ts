import type { PressureLevel } from '../budget.ts';
import type { CompactOutcome, Plan, Refusal } from '../compaction/compaction.ts';
import { sizeOf } from '../draft/window-cut.ts';
import { VarveError } from '../errors.ts';
import type { CompactTrigger, Entry, MessageEntry, RecordEntry } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import type { Message } from '../message.ts';
import type { Health } from '../plugins/health.ts';
import type { SessionView } from '../plugins/hook-context.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { Tokens, Ulid } from '../units.ts';
import { type AssembleOptions, assemblePrompt, pressureOf, startDraft } from './assemble.ts';
import { commitPlan } from './commit-plan.ts';
import { compactSession, planFor } from './compact.ts';
import type { CompactOptions } from './compact-outcome.ts';
import { type ExplainQuery, type Explanation, explainRequest } from './explain.ts';
import { type IngestOptions, ingestMessage } from './ingest.ts';
import { type SessionRuntime, viewOfSession } from './session-runtime.ts';
import { undoEntry } from './undo.ts';

/** One conversation: what goes in, what the next prompt is, and why. Opened by `host.open`. */
export interface Session extends AsyncDisposable {
  readonly sessionId: string;
  /** What plugins see of this session. */
  readonly view: SessionView;
  /** Puts a message into the journal; durable when it resolves. Messages stand in the order of the calls. */
  ingest(message: Message, options?: IngestOptions): Promise<MessageEntry>;
  /** Makes the prompt of the next model call. */
  assemble(options: AssembleOptions): Promise<Prompt>;
  /** How large the next prompt would be, without the layers of plugins. */
  pressure(options: Pick<AssembleOptions, 'model' | 'tools'>): {
    readonly tokens: Tokens;
    readonly level: PressureLevel;
  };
  /** What a compaction would do. Runs no model and changes nothing. */
  plan(trigger: CompactTrigger, options: CompactOptions): Promise<Plan | Refusal>;
  /** Carries a plan out. */
  commit(plan: Plan, options: CompactOptions): Promise<CompactOutcome>;
  /** Plans and commits: when it is due (`threshold`, `background`), or at once (`overflow`, `manual`). */
  compact(trigger: CompactTrigger, options: CompactOptions): Promise<CompactOutcome>;
  /** The entries that a compaction covers, whole. @throws VARVE_COMPACTION_UNKNOWN */
  expand(compactionId: Ulid): AsyncIterable<Entry>;
  /**
   * Takes a compaction, edit or state entry back. Messages that came later stay.
   *
   * @throws VARVE_ENTRY_UNKNOWN, VARVE_UNDO_TYPE, VARVE_UNDO_ORDER
   */
  undo(entryId: Ulid): Promise<void>;
  /** Why entries were, or were not, in a request. */
  explain(query?: ExplainQuery): Promise<Explanation>;
  /** Sets a setting of the session. */
  set(name: string, value: JsonValue): Promise<void>;
  /** Sets a state slot, shown at the end of every prompt; `null` clears it. */
  setState(slot: string, text: string | null): Promise<void>;
  /** Stores a record of the host, or of an importer, under `owner:kind`. Never in a prompt. */
  record(type: RecordEntry['type'], data: JsonValue): Promise<void>;
  /** Reads the journal. */
  read(range?: { readonly fromSeq?: number; readonly toSeq?: number }): AsyncIterable<Entry>;
  /** What failed in this session. */
  health(): Health;
  /** Stores what is pending and lets go of the journal. Idempotent. */
  close(): Promise<void>;
}

/** Makes the session around its runtime. */
export function createSession(runtime: SessionRuntime): Session {
  const { journal, events, sessionId } = runtime;
  let ingesting: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;
  const inOrder = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = ingesting.then(work);
    ingesting = next.catch(() => undefined);
    return next;
  };
  const close = (): Promise<void> => {
    closing ??= ingesting.then(async () => {
      try {
        await runtime.engine?.dispose?.();
      } finally {
        await journal.close();
      }
    });
    return closing;
  };
  return {
    sessionId,
    view: viewOfSession(runtime, 'host'),
    ingest: (message, options = {}) => inOrder(() => ingestMessage(runtime, message, options)),
    assemble: (options) => assemblePrompt(runtime, options),
    pressure: (options) => {
      const { draft } = startDraft(runtime, options);
      return { tokens: sizeOf(draft), level: pressureOf(draft) };
    },
    plan: (trigger, options) => planFor(runtime, trigger, options),
    commit: (plan, options) => commitPlan(runtime, plan, options),
    compact: (trigger, options) => compactSession(runtime, trigger, options),
    expand: (compactionId) => expandCompaction(runtime, compactionId),
    undo: (entryId) => undoEntry(runtime, entryId),
    explain: async (query = {}) => {
      await journal.append([]);
      return explainRequest(journal.journal, query);
    },
    set: async (name, value) => {
      await journal.append([{ type: 'setting', name, value }]);
      events.emit('setting-changed', { sessionId, name });
    },
    setState: async (slot, text) => {
      await journal.append([{ type: 'state', slot, text }]);
    },
    record: async (type, data) => {
      checkRecordType(type);
      await journal.append([{ type, data }]);
    },
    read: (range) => journal.journal.read(range),
    health: () => runtime.health.report(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function* expandCompaction({ journal }: SessionRuntime, compactionId: Ulid): AsyncIterable<Entry> {
  const [entry] = await journal.journal.get([compactionId]);
  if (entry?.type !== 'compaction') {
    throw new VarveError('VARVE_COMPACTION_UNKNOWN', `There is no compaction "${compactionId}".`, {
      fix: 'Use the id of a compaction entry of this session.',
    });
  }
  yield* journal.journal.read({ fromSeq: entry.range.from.seq, toSeq: entry.range.to.seq });
}

/** A record's type is `owner:kind`; core's own records, and the other entry types, are not a host's to write. */
function checkRecordType(type: string): void {
  if (/^(?!core:)[a-z0-9][a-z0-9/_-]*:[a-z][a-z0-9-]*$/.test(type)) return;
  throw new VarveError('VARVE_PLUGIN_RECORD', `A record cannot have the type "${type}".`, {
    fix: 'Use owner:kind, in lower-case letters, digits and dashes, such as transcripts:compaction.',
  });
}
