import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CarriedState,
  type CompactionEntry,
  countEntry,
  createHost,
  type Entry,
  emptyCounters,
  fold,
  type Journal,
  type Message,
  type MessageEntry,
  type Seq,
  type SessionCounters,
  tableCounter,
} from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { manualClock, type Random, seededRandom } from '@varve/testkit';
import { createMessageDrawer, type MessageDrawer } from './draw-message.ts';
import { type LargeJournal, type LargeJournalPlan, largeEntryId, needle, timeOfEntry } from './large-journal.ts';

/** Entries that are appended together. */
const batchSize = 256;

/** After so many bytes, a compaction with its checkpoint; it keeps so many messages. */
const bytesPerCompaction = 33_554_432;
const kept = 50;

/** So many bytes before its end, the bulk ends with a compaction: what core compacts is what stands behind it. */
const bytesForCore = 500_000;

/** The model that the last compaction is made for. */
const model = { provider: 'test', model: 'large' };

/**
 * Writes a journal through the store: the bulk of it appended as entries, as fast as the store takes them; its end said to
 * a session, compacted by core, and so many messages more said behind that.
 */
export async function writeLargeJournal(plan: LargeJournalPlan): Promise<LargeJournal> {
  const { root, sessionId } = plan;
  const store = jsonlStore({ root, durability: 'os' });
  const file = join(root, 'agents', 'main', 'sessions', `${sessionId}.jsonl`);
  const create = { v: 1, sessionId, createdAt: timeOfEntry(0) } as const;
  const journal = await store.open(sessionId, { create });
  const bulk = new BulkWriter(journal, plan);
  await bulk.write(() => statSync(file).size);
  await journal.close();
  await store.sessions.put(sessionId, { createdAt: timeOfEntry(0), counters: bulk.counters }, { expectedRev: 0 });
  const { needle: last, ...ended } = await writeEnd(plan, {
    drawer: bulk.drawer,
    firstSeq: bulk.counters.countedSeq + 1,
  });
  await store[Symbol.asyncDispose]();
  const { longestLine, longLines, compactions, needles } = bulk;
  const bytes = statSync(file).size;
  return {
    root,
    sessionId,
    file,
    bytes,
    longestLine,
    longLines,
    compactions: compactions + 1,
    bulkSeq: bulk.counters.countedSeq,
    ...ended,
    needles: [...needles, last],
  };
}

/** Appends entries that nobody has to look at one by one. */
class BulkWriter {
  readonly #journal: Journal;
  readonly #plan: LargeJournalPlan;
  readonly #random: Random;
  readonly drawer: MessageDrawer;
  counters: SessionCounters = emptyCounters;
  longestLine = 0;
  longLines = 0;
  compactions = 0;
  readonly needles: Seq[] = [];
  #seq = 0;
  #bytes = 0;
  #longFrom: number;
  #recent: Entry[] = [];
  #state: CarriedState | null = null;
  #previous: CompactionEntry | null = null;

  constructor(journal: Journal, plan: LargeJournalPlan) {
    this.#journal = journal;
    this.#plan = plan;
    this.#random = seededRandom(plan.seed);
    this.#longFrom = plan.longLineEvery;
    this.drawer = createMessageDrawer(plan.seed, plan);
  }

  async write(sizeOf: () => number): Promise<void> {
    const { bytes, entries, behind } = this.#plan;
    const end = Math.max(0, bytes - bytesForCore);
    const last = Math.max(0, entries - 2 * behind);
    let compacted = 0;
    while (this.#bytes < end && this.#seq < last) {
      await this.#append(Math.min(batchSize, last - this.#seq), { end, last });
      this.#bytes = sizeOf();
      if (this.#bytes - compacted < bytesPerCompaction && this.#bytes < end && this.#seq < last) continue;
      if (this.#recent.length <= kept) continue;
      await this.#compact();
      compacted = this.#bytes;
    }
  }

  async #append(count: number, { end, last }: { readonly end: number; readonly last: Seq }): Promise<void> {
    const added: MessageEntry[] = [];
    for (let index = 0; index < count; index += 1) added.push(this.#nextMessage({ end, last }));
    await this.#journal.append(added, { expectedSeq: this.#seq - count });
    for (const entry of added) this.counters = countEntry(this.counters, entry);
    this.#recent = [...this.#recent, ...added].slice(-2 * kept);
  }

  #nextMessage({ end, last }: { readonly end: number; readonly last: Seq }): MessageEntry {
    const { longLineEvery } = this.#plan;
    const isLong = longLineEvery > 0 && this.#bytes >= this.#longFrom && this.drawer.isResultNext;
    const extra = isLong ? this.#random.integer(1_000_000, 10_000_000) : 0;
    if (isLong) {
      this.#longFrom += longLineEvery;
      this.longLines += 1;
      this.longestLine = Math.max(this.longestLine, extra);
    }
    this.#seq += 1;
    const isNeedle =
      (this.needles.length === 0 && this.#seq > 8) ||
      (this.needles.length === 1 && (this.#bytes > end / 2 || this.#seq > last / 2));
    const drawn = this.drawer.next(extra);
    const marked = isNeedle && typeof drawn.content === 'string';
    if (marked) this.needles.push(this.#seq);
    const message = marked ? ({ ...drawn, content: `${drawn.content} ${needle}` } as Message) : drawn;
    return entryOf(this.#seq, message);
  }

  /** A compaction that covers all but the last messages. */
  async #compact(): Promise<void> {
    const covered = this.#recent.slice(0, -kept);
    const before = covered.at(-1);
    if (before === undefined) return;
    const visibleFromSeq = before.seq + 1;
    const from = covered[0]?.seq ?? 1;
    const state: CarriedState = { ...(this.#state ?? firstState()), seq: from - 1, lastId: idBefore(from) };
    const known = fold({ checkpoint: { visibleFromSeq: from, state }, entries: covered }).state;
    this.#seq += 1;
    const seq = this.#seq;
    const entry: CompactionEntry = {
      ...{ v: 1, id: largeEntryId(seq), parentId: idBefore(seq), seq, at: timeOfEntry(seq), type: 'compaction' },
      range: {
        from: { id: largeEntryId(1), seq: 1 },
        to: { id: before.id, seq: before.seq },
        firstKept: { id: largeEntryId(visibleFromSeq), seq: visibleFromSeq },
        held: null,
      },
      ...{ previousId: this.#previous?.id ?? null, trigger: 'threshold', tokensBefore: 150_000, tokensAfter: 20_000 },
      by: { plugin: 'core', version: '1.0.0' },
      ...{ prose: null, digest, edits: [] },
    };
    await this.#journal.append([entry], { expectedSeq: seq - 1, checkpoint: { visibleFromSeq, state: known } });
    this.counters = countEntry(this.counters, entry);
    this.#state = known;
    this.#previous = entry;
    this.#recent = [];
    this.compactions += 1;
  }
}

const digest = { task: null, userLog: [], ledger: [], shares: { userLogTokens: 0, ledgerTokens: 0 } } as const;

function firstState(): CarriedState {
  return fold({ checkpoint: null, entries: [] }).state;
}

function idBefore(seq: Seq): string | null {
  return seq === 1 ? null : largeEntryId(seq - 1);
}

function entryOf(seq: Seq, message: Message): MessageEntry {
  return {
    ...{ v: 1, id: largeEntryId(seq), parentId: idBefore(seq), seq, at: timeOfEntry(seq), type: 'message', message },
    provenance: { kind: message.role === 'user' ? 'user' : message.role === 'tool' ? 'tool' : 'model' },
    tokens: { n: tableCounter.countMessage(message), by: tableCounter.id },
  };
}

/** Says the rest to a session, lets core compact it, and says so many messages more. */
async function writeEnd(
  { root, sessionId, seed, behind }: LargeJournalPlan,
  { drawer, firstSeq }: { readonly drawer: MessageDrawer; readonly firstSeq: Seq },
): Promise<Pick<LargeJournal, 'lastSeq' | 'tailBytes'> & { readonly needle: Seq }> {
  const store = jsonlStore({ root, durability: 'os' });
  const random = seededRandom(seed);
  const clock = manualClock(timeOfEntry(firstSeq));
  const host = await createHost({ store, clock, random: () => random.next() });
  const session = await host.open(sessionId);
  const said = await session.ingest({ role: 'user', content: `Remember ${needle} for later.` });
  for (let index = 0; index < behind; index += 1) await session.ingest(drawer.next());
  const { status, why } = await session.compact('manual', { model });
  if (status !== 'compacted') throw new Error(`The last compaction is ${status}: ${why}`);
  for (let index = 1; index < behind; index += 1) await session.ingest(drawer.next());
  await session.ingest({ role: 'user', content: 'What comes next?' });
  await host.close();
  const journal = await store.open(sessionId, { readOnly: true });
  const { entries } = await journal.tail();
  await journal.close();
  await store[Symbol.asyncDispose]();
  const tailBytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
  return { lastSeq: entries.at(-1)?.seq ?? 0, tailBytes, needle: said.seq };
}
