import type { CompactOutcome, Plan, Refusal } from '../compaction/compaction.ts';
import { VarveError } from '../errors.ts';
import { pathTo } from '../journal/branch.ts';
import type { CompactTrigger, Entry, HeadEntry, MessageEntry, RecordEntry } from '../journal/entry.ts';
import type { SessionRecord } from '../journal/session-record.ts';
import type { JsonValue } from '../json-value.ts';
import type { Message } from '../message.ts';
import type { JournalEvent } from '../plugins/events.ts';
import type { Health } from '../plugins/health.ts';
import type { SessionView } from '../plugins/hook-context.ts';
import type { CommandReply } from '../plugins/hooks.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { ToolSet } from '../tool.ts';
import type { Ulid } from '../units.ts';
import { assemblePrompt } from './assemble.ts';
import { closeSession, endWork } from './close-session.ts';
import { draftWithKnownLayers } from './collect-layers.ts';
import { answerCommand, type CommandOptions } from './commands/command.ts';
import { commitPlan } from './compact/commit-plan.ts';
import { compactSession, planFor } from './compact/compact.ts';
import type { CompactOptions } from './compact/compact-outcome.ts';
import { checkExplain, type ExplainQuery, type Explanation, explainRequest } from './explain.ts';
import { checkFollow, type FollowOptions, followJournal } from './follow/follow.ts';
import { checkForget, forgetEntries } from './forget/forget.ts';
import { hostEntries } from './host-entries.ts';
import { checkMessage, type IngestOptions, ingestMessage } from './ingest.ts';
import { checkEntryId, checkRange, checkRequest, checkTrigger } from './option-checks.ts';
import type { AssembleOptions } from './prompt-request.ts';
import { checkMove, type MoveHeadOptions, moveHead } from './rewind/move-head.ts';
import { undoEntry } from './rewind/undo.ts';
import { sessionHealth } from './session-health.ts';
import { type SessionPressure, sessionPressure } from './session-pressure.ts';
import { type SessionRuntime, viewOfSession } from './session-runtime.ts';
import { toolsOfSession, withPluginTools } from './session-tools.ts';
import { takeTurn } from './turn/turn.ts';
import { checkTurn, type TurnOptions } from './turn/turn-options.ts';
import type { TurnRecord } from './turn/turn-record.ts';

/** One conversation: what goes in, what the next prompt is, and why. Opened by `host.open`. */
export interface Session extends AsyncDisposable {
  readonly sessionId: string;
  /** What plugins see of this session. */
  readonly view: SessionView;
  /** The session's record in the store's index, with its counters as they are now. */
  info(): SessionRecord;
  /** Puts a message into the journal; durable when it resolves. Messages stand in the order of the calls. */
  ingest(message: Message, options?: IngestOptions): Promise<MessageEntry>;
  /** Makes the prompt of the next model call. */
  assemble(options: AssembleOptions): Promise<Prompt>;
  /**
   * Answers a message, or what has no answer yet, with the tools that the model calls. Turns run one after the other, in
   * the order of the calls; what is ingested meanwhile is in the next prompt. An abort resolves: see `status`. Not to be
   * awaited by a tool of the same session.
   *
   * Where several hosts use one store, the message is stored at once, and the turn waits for those of other hosts; what
   * they have answered is not answered again.
   *
   * @throws VARVE_MODEL_FAILED, VARVE_MODEL_OVERFLOW, VARVE_LEASE_LOST  what is stored by then stays, and a next turn goes on from there.
   */
  turn(options: TurnOptions): Promise<TurnRecord>;
  /**
   * Does what a line that begins with `/word` asks for: a plugin's command, else `/compact`, `/status`, `/context` or
   * `/help`. Resolves to `null` for what is no command: `//word`, an unknown word, any other text. A failure is told in
   * the reply.
   */
  command(text: string, options: CommandOptions): Promise<CommandReply | null>;
  /**
   * How large the prompt of the next turn would be, with the tools of plugins. Asks no plugin: their layers are those that they collected last in this process,
   * for a prompt or a compaction; before that those of the last request in the journal, with its sizes in tokens alone.
   */
  pressure(options: Pick<AssembleOptions, 'model' | 'tools'>): SessionPressure;
  /** What a compaction would do, for prompts with these tools alone, as `assemble` has them. Runs no model and changes nothing. */
  plan(trigger: CompactTrigger, options: CompactOptions): Promise<Plan | Refusal>;
  /** Carries a plan out. */
  commit(plan: Plan, options: CompactOptions): Promise<CompactOutcome>;
  /**
   * Plans and commits: when it is due (`threshold`), due and worth it (`background`), or at once (`overflow`, `manual`). Counts
   * the tools that are named alone, as `assemble` does: for a session that takes turns, name those of `tools()`, too.
   */
  compact(trigger: CompactTrigger, options: CompactOptions): Promise<CompactOutcome>;
  /** The entries that a compaction covers, whole. @throws VARVE_COMPACTION_UNKNOWN */
  expand(compactionId: Ulid): AsyncIterable<Entry>;
  /**
   * Takes a compaction, edit or state entry back. Messages that came later stay. Refused while a turn runs.
   *
   * @throws VARVE_ENTRY_UNKNOWN, VARVE_UNDO_TYPE, VARVE_UNDO_ORDER, VARVE_SESSION_BUSY
   */
  undo(entryId: Ulid): Promise<void>;
  /**
   * Lets what follows continue from an entry; what came after it is off the path, and no later prompt has it. A target
   * inside a group of a call and its results stands for the end of that group. Refused while a turn runs.
   *
   * @throws VARVE_ENTRY_UNKNOWN, VARVE_OPTION_INVALID, VARVE_SESSION_BUSY
   */
  moveHead(entryId: Ulid, options: MoveHeadOptions): Promise<HeadEntry>;
  /**
   * Makes messages say nothing any more: each becomes a tombstone of the same role, with its tool calls and results
   * emptied, and a note with the reason for text. Of 12 characters in a row that they said, none are left in the journal,
   * unless another message says them too: name that one as well. The store keeps nothing of the old journal. Waits for
   * messages that are being ingested.
   *
   * Another host that has the session open for writing learns of it when it next stores something;
   * until then its prompts show what it has read before. A turn with a message stores that first.
   *
   * @param reason  Shown in prompts in place of the text; at most 200 characters.
   * @throws VARVE_ENTRY_UNKNOWN, VARVE_FORGET_REFUSED, VARVE_OPTION_INVALID
   */
  forget(entryIds: readonly Ulid[], reason: string): Promise<void>;
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
  /**
   * The events of the journal after an entry: those of the past, then each as it is stored, without a gap and none
   * twice, however slowly it is read. Ends with the signal and with the session; whoever goes on later passes the last
   * seq that he has.
   */
  follow(options?: FollowOptions): AsyncIterableIterator<JournalEvent>;
  /** The tools of the host's plugins, in the order of the plugins. */
  tools(): ToolSet;
  /** What failed in this session, and how its compactions have ended. */
  health(): Health;
  /**
   * Aborts the turn that runs and those that wait: they resolve with the status `aborted`. What was stored stays, and the
   * session takes other turns. Gives whether there was one.
   *
   * @param reason  What the signals of models and tools are aborted with. @default 'The turn was aborted.'
   */
  abort(reason?: string): boolean;
  /** Stores what is pending and lets go of the journal. Idempotent. */
  close(): Promise<void>;
}

/** Makes the session around its runtime. */
export function createSession(runtime: SessionRuntime): Session {
  const { journal, sessionId } = runtime;
  const { during, alone, betweenTurns } = runtime.activity;
  let ingesting: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;
  const looked = looks(runtime);
  const inOrder = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = ingesting.then(work);
    ingesting = next.catch(() => undefined);
    return next;
  };
  const close = (): Promise<void> => {
    closing ??= Promise.all([ingesting, endWork(runtime)])
      .then(() => ingesting)
      .then(() => closeSession(runtime));
    return closing;
  };
  return {
    sessionId,
    view: viewOfSession(runtime, 'host'),
    ingest: async (message, options = {}) => {
      const checked = checkMessage(message, options);
      return inOrder(() => ingestMessage(runtime, checked));
    },
    assemble: (options) => during('a prompt', async () => assemblePrompt(runtime, checkRequest(options))),
    pressure: (options) => pressureOfTurns(runtime, options),
    plan: (trigger, options) =>
      during('a compaction', async () => planFor(runtime, checkTrigger(trigger), checkRequest(options))),
    commit: (plan, options) =>
      during('a compaction', async () =>
        runtime.compactions.run(checkRequest(options), (linked) => commitPlan(runtime, plan, linked)),
      ),
    compact: (trigger, options) =>
      during('a compaction', async () => compactSession(runtime, checkTrigger(trigger), checkRequest(options))),
    turn: async (options) =>
      takeTurn(runtime, checkTurn(options), {
        tools: looked.tools(),
        ingest: (checked) => inOrder(() => ingestMessage(runtime, checked)),
      }).finally(() => runtime.record.keepUp()),
    command: (text, options) => during('a command', () => answerCommand(runtime, text, options)),
    undo: async (entryId) => {
      checkEntryId(entryId);
      return betweenTurns(() => undoEntry(runtime, entryId));
    },
    moveHead: async (entryId, options) => {
      checkMove(entryId, options);
      return betweenTurns(() => moveHead(runtime, entryId, options));
    },
    info: () => runtime.record.current(),
    forget: async (entryIds, reason) => {
      checkForget(entryIds);
      return inOrder(() => alone(() => forgetEntries(runtime, { entryIds, reason })));
    },
    abort: (reason = 'The turn was aborted.') => runtime.turns.abort(reason),
    ...hostEntries(journal),
    ...looked,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** How full a prompt of a turn would be: with the tools of plugins. */
function pressureOfTurns(runtime: SessionRuntime, options: Pick<AssembleOptions, 'model' | 'tools'>): SessionPressure {
  return sessionPressure(draftWithKnownLayers(runtime, withPluginTools(runtime, checkRequest(options))));
}

/** What only looks at the session. */
function looks(runtime: SessionRuntime): Pick<Session, 'expand' | 'explain' | 'read' | 'follow' | 'tools' | 'health'> {
  const { journal } = runtime;
  const tools = toolsOfSession(runtime);
  return {
    expand: (compactionId) => {
      checkEntryId(compactionId);
      return expandCompaction(runtime, compactionId);
    },
    explain: async (query = {}) => {
      checkExplain(query);
      await journal.append([]);
      return explainRequest(journal.journal, query);
    },
    read: (range) => {
      checkRange(range);
      return journal.journal.read(range);
    },
    follow: (options = {}) => {
      checkFollow(options);
      return followJournal(runtime, options);
    },
    tools: () => tools,
    health: () => sessionHealth(runtime),
  };
}

async function* expandCompaction({ journal }: SessionRuntime, compactionId: Ulid): AsyncIterable<Entry> {
  const [entry] = await journal.journal.get([compactionId]);
  if (entry?.type !== 'compaction') {
    throw new VarveError('VARVE_COMPACTION_UNKNOWN', `There is no compaction "${compactionId}".`, {
      fix: 'Use the id of a compaction entry of this session.',
    });
  }
  const isCovered = pathTo(journal.state().branches, entry.seq);
  for await (const one of journal.journal.read({ fromSeq: entry.range.from.seq, toSeq: entry.range.to.seq })) {
    if (isCovered(one.seq)) yield one;
  }
}
