import type { Checkpoint, Journal, MessageEntry, Store } from '@varve/core';
import { assertEqual } from '../assert.ts';
import { type Random, seededRandom } from '../conversation/seeded-random.ts';
import { beginJournal, checkpointFrom, messageEntries, messageEntry, readLawfulTail } from '../journal-entries.ts';
import { acrossRestart, onStore, type StoreCase, type StoreTrial } from './store-subject.ts';

/** Waking a session costs what is visible, and loses nothing. */
export const tailCases: readonly StoreCase[] = [
  onStore('gives the tail from the newest checkpoint on', 'Older checkpoints know less.', async (store) => {
    await appendThrice(await beginJournal(store));
    assertEqual(await (await beginJournal(store)).tail(), newestTail(), 'the tail');
  }),
  acrossRestart(
    'finds the newest checkpoint after a restart',
    'A session that wakes from its first entry takes longer every day.',
    async ({ store, reopen }) => {
      await appendThrice(await beginJournal(store));
      assertEqual(await (await (await reopen()).open('one')).tail(), newestTail(), 'the tail');
    },
  ),
  onStore('gives all entries while there is no checkpoint', 'The first tail of every session.', async (store) => {
    const journal = await beginJournal(store);
    assertEqual(await journal.tail(), { checkpoint: null, entries: [] }, 'the tail of an empty journal');
    await journal.append(messageEntries(1, 30), { expectedSeq: 0 });
    assertEqual(await journal.tail(), { checkpoint: null, entries: messageEntries(1, 30) }, 'the tail');
  }),
  onStore(
    'gives an empty tail when nothing is visible any more',
    'A checkpoint may lie behind all entries.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 3), { expectedSeq: 0, checkpoint: checkpointFrom(4) });
      assertEqual((await journal.tail()).entries, [], 'the entries of the tail');
      await journal.append([messageEntry(4)], { expectedSeq: 3 });
      assertEqual((await journal.tail()).entries, [messageEntry(4)], 'the entries of the tail after an append');
    },
  ),
  onStore(
    'follows a checkpoint that lies further back than the one before',
    'Undoing a compaction makes entries visible again.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 10), { expectedSeq: 0, checkpoint: checkpointFrom(9) });
      await journal.append([messageEntry(11)], { expectedSeq: 10, checkpoint: checkpointFrom(2) });
      const expected = { checkpoint: checkpointFrom(2), entries: messageEntries(2, 11) };
      assertEqual(await journal.tail(), expected, 'the tail');
    },
  ),
  acrossRestart(
    'gives the same tail as reading from where it begins, whatever was appended',
    'Folding the tail must give what folding the whole journal gives.',
    async (trial) => {
      let { store } = trial;
      for (let seed = 1; seed <= 25; seed += 1) store = await proveTailLaw({ ...trial, store }, seed);
    },
  ),
];

async function appendThrice(journal: Journal): Promise<void> {
  await journal.append(messageEntries(1, 10), { expectedSeq: 0, checkpoint: checkpointFrom(4) });
  await journal.append(messageEntries(11, 20), { expectedSeq: 10, checkpoint: checkpointFrom(15, { model: 'm' }) });
  await journal.append(messageEntries(21, 25), { expectedSeq: 20 });
}

function newestTail(): unknown {
  return { checkpoint: checkpointFrom(15, { model: 'm' }), entries: messageEntries(15, 25) };
}

/** Appends what the seed says, with restarts between, and holds every tail against the law. */
async function proveTailLaw({ store, reopen }: StoreTrial, seed: number): Promise<Store> {
  const random = seededRandom(seed);
  const all: MessageEntry[] = [];
  const sessionId = `journal ${seed}`;
  let under = store;
  let journal = await beginJournal(under, sessionId);
  let seq = 0;
  let newest: Checkpoint | null = null;
  const appends = random.integer(1, 12);
  for (let count = 0; count < appends; count += 1) {
    const length = random.integer(1, 6);
    const entries = Array.from({ length }, (_, index) => messageEntry(seq + index + 1, anyText(random)));
    const checkpoint: Checkpoint | undefined = random.chance(0.5)
      ? checkpointFrom(Math.max(1, seq + length + 1 - random.integer(0, 12)))
      : undefined;
    ({ seq } = await journal.append(entries, { expectedSeq: seq, checkpoint }));
    newest = checkpoint ?? newest;
    all.push(...entries);
    if (random.chance(0.5)) {
      under = await reopen();
      journal = await under.open(sessionId);
    }
    const tail = await readLawfulTail(journal);
    assertEqual(tail.checkpoint, newest, `the checkpoint of the tail, seed ${seed}`);
    assertEqual(tail.entries, all.slice((newest?.visibleFromSeq ?? 1) - 1), `the entries of the tail, seed ${seed}`);
  }
  await journal.close();
  return under;
}

function anyText(random: Random): string {
  const length = random.integer(0, 300);
  return Array.from({ length }, () => String.fromCharCode(random.integer(0, random.chance(0.5) ? 127 : 0xffff))).join(
    '',
  );
}
