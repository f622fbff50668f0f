import { createHash } from 'node:crypto';
import { type ItemRecord, readTranscript, type Transcript } from '@varve/adapters/transcripts';
import { createHost, type Health, type Host, resolveBudget, type Store, tableCounter, VarveError } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { detectCacheTtl } from './detect-cache-ttl.ts';
import { mergeHealth } from './merge-health.ts';
import { openFreshSession } from './open-fresh-session.ts';
import { defaultBudgetTokens, defaultGapMs, type Replay, type ReplayedSession, type ReplayOptions } from './replay.ts';
import { createReplayClock } from './replay-clock.ts';
import { type Conversation, createConversation, type ReplayContext } from './replay-conversation.ts';
import { createTotals } from './replay-totals.ts';
import type { CompactionRow, RequestRow } from './request-row.ts';
import { sessionNameOf } from './session-name.ts';
import { openRoot } from './temporary-root.ts';
import { openBodyWriter } from './write-bodies.ts';

/** When that many requests have failed and none was made, the budget is too small for everything that follows too. */
const hopelessRequests = 100;

/**
 * Puts a transcript through real sessions: before each answer of a model, the request is made that Varve would have
 * sent. Deterministic but for `run`: no model and no network has a part in it.
 *
 * @throws VARVE_TRANSCRIPT_UNREADABLE, VARVE_TRANSCRIPT_EMPTY, VARVE_TRANSCRIPT_FORMAT, VARVE_TRANSCRIPT_TOO_LARGE,
 *   VARVE_TRANSCRIPT_ITEM  for the file.
 * @throws VARVE_BUDGET_IMPOSSIBLE  when not one request fits into the budget, or not one of the first 100.
 * @throws VARVE_ABORTED  when the signal is aborted before the first record; later, the result is what there is.
 * @throws VARVE_USAGE, VARVE_STORE_IO  when a folder is none, or cannot be written to.
 */
export async function replayTranscript(options: ReplayOptions): Promise<Replay> {
  const startedAt = performance.now();
  const { file, item, signal, onProgress, budgetTokens = defaultBudgetTokens, systemTokens = 0 } = options;
  const budget = { inputTokens: budgetTokens, reservedTokens: systemTokens };
  // Refuses a budget that is smaller than what stands in front of every request.
  resolveBudget(budget);
  const transcript = await readTranscript(file, { item, signal, onProgress });
  const given = options.cacheTtl ?? 'auto';
  const cacheTtl = given === 'auto' ? await detectCacheTtl(transcript) : given;
  const plugins = typeof options.plugins === 'function' ? await options.plugins({ cacheTtl }) : options.plugins;
  const settings = { budgetTokens, systemTokens, cacheTtl, gapMs: options.gapMs ?? defaultGapMs };
  const rows = createRows();
  await using root = await openRoot(options.root);
  await using bodies = options.bodies === undefined ? null : await openBodyWriter(options.bodies);
  const context: ReplayContext = {
    ...settings,
    ...rows,
    signal,
    observer: options.observer,
    clock: createReplayClock(),
    counter: tableCounter,
    hash: (text) => createHash('sha1').update(text).digest('base64'),
    totals: createTotals(),
    bodies,
  };
  const store = jsonlStore({ root: root.path, durability: 'os' });
  await using host = await createHost({ store, plugins, budget, clock: context.clock, tokens: context.counter });
  host.events.on('edit-recorded', ({ edits }) => context.totals.count('edits', edits.length));
  const { sessions, health, interrupted } = await replayRecords(transcript, { context, host, store });
  const totals = context.totals.totals();
  if (totals.requests > 0 && totals.failed === totals.requests) throw impossible(rows.requests);
  await bodies?.publish();
  return {
    file,
    format: transcript.format,
    entries: sessions.reduce((entries, session) => entries + session.entries, 0),
    requests: rows.requests,
    compactions: rows.compactions,
    totals,
    health,
    sessions,
    interrupted,
    settings: {
      budget: budgetTokens,
      systemTokens,
      gapMs: settings.gapMs,
      cacheTtl,
      plugins: host.plugins.map(({ name, version }) => `${name}@${version}`),
    },
    run: { wallMs: Math.round(performance.now() - startedAt), peakMemoryBytes: process.resourceUsage().maxRSS * 1024 },
  };
}

interface Rows extends Pick<ReplayContext, 'onRequest' | 'onCompaction'> {
  readonly requests: readonly RequestRow[];
  readonly compactions: readonly CompactionRow[];
}

/** Collects rows, and gives up when the first many are all failures. */
function createRows(): Rows {
  const requests: RequestRow[] = [];
  const compactions: CompactionRow[] = [];
  return {
    requests,
    compactions,
    onRequest: (row) => {
      requests.push(row);
      if (requests.length !== hopelessRequests) return;
      if (requests.every(({ error }) => error !== undefined)) throw impossible(requests);
    },
    onCompaction: (row) => {
      compactions.push(row);
    },
  };
}

interface Parts {
  readonly context: ReplayContext;
  readonly host: Host;
  readonly store: Store;
}

type Outcome = Pick<Replay, 'sessions' | 'health' | 'interrupted'>;

/** One conversation after the other, each in a session of its own. */
async function replayRecords(transcript: Transcript, { context, host, store }: Parts): Promise<Outcome> {
  const sessions: ReplayedSession[] = [];
  const reports: Health[] = [];
  let begun: ItemRecord | null = null;
  let open: { readonly conversation: Conversation; readonly end: () => Promise<void> } | null = null;
  const begin = async ({ item, title }: Pick<ItemRecord, 'item' | 'title'>): Promise<NonNullable<typeof open>> => {
    const number = transcript.items === 1 ? undefined : item;
    const session = await openFreshSession({ host, store }, sessionNameOf(transcript.path, number ?? null));
    const conversation = createConversation(context, { session, item: number });
    const end = async (): Promise<void> => {
      reports.push(session.health());
      sessions.push({
        item,
        ...(title === undefined ? {} : { title }),
        session: session.sessionId,
        entries: conversation.entries(),
      });
      await session.close();
    };
    return { conversation, end };
  };
  let interrupted = false;
  try {
    for await (const record of transcript.records()) {
      if (record.kind === 'item') {
        await open?.end();
        open = null;
        begun = record;
        context.clock.restart();
        continue;
      }
      if ('at' in record && record.at !== undefined) context.clock.moveTo(record.at);
      open ??= await begin(begun ?? { item: 1 });
      await open.conversation.take(record);
    }
  } catch (error) {
    if (context.signal?.aborted !== true || !VarveError.is(error, 'VARVE_ABORTED')) throw error;
    interrupted = true;
  }
  await open?.end();
  return { sessions, health: mergeHealth(reports), interrupted };
}

function impossible(requests: readonly RequestRow[]): VarveError {
  const error = requests.find((row) => row.error !== undefined)?.error;
  const message = `Not one of ${requests.length} requests fits into the budget. The first: ${error?.message ?? ''}`;
  return new VarveError('VARVE_BUDGET_IMPOSSIBLE', message, {
    fix: 'Give a larger --budget, or a smaller --system-tokens.',
  });
}
