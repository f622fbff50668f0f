import { type Entry, type Journal, type JournalBatch, VarveError } from '@varve/core';
import { collectEntries, type StoreSubject } from '@varve/testkit';
import type { Breakage, JournalTrial } from './broken-store.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './store-mutants.ts';

type Replace = Journal['replace'];

/** Replaces how journals are replaced. */
function replaceAs(change: (journal: Journal, trial: JournalTrial) => Replace): Breakage {
  return { journal: (journal, trial) => ({ replace: change(journal, trial) }) };
}

/** Batches that are at hand. */
async function* given(batches: readonly JournalBatch[]): AsyncGenerator<JournalBatch> {
  yield* batches;
}

async function collect(batches: AsyncIterable<JournalBatch>): Promise<readonly JournalBatch[]> {
  const all: JournalBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

/** Does what a conflict would have prevented. */
function onConflict(instead: (journal: Journal, entries: readonly Entry[]) => Promise<void>): Breakage {
  return replaceAs((journal) => async (batches, options) => {
    const all = await collect(batches);
    try {
      await journal.replace(given(all), options);
    } catch (error) {
      if (!VarveError.is(error, 'VARVE_STORE_CONFLICT')) throw error;
      const done = await instead(
        journal,
        all.flatMap(({ entries }) => entries),
      ).then(
        () => true,
        () => false,
      );
      if (!done) throw error;
    }
  });
}

/** Stores that replace journals in a wrong way. */
export const replacingStoreMutants: readonly Mutant<StoreSubject>[] = [
  mutant(
    'leaves the first batch of a replacement as it was',
    'replaces a journal by another with the same seqs',
    replaceAs((journal) => async (batches, options) => {
      const all = await collect(batches);
      const old = await collectEntries(journal.read());
      const isTwo = all.length === 2 && all.every(({ checkpoint }) => checkpoint === undefined);
      const [first, ...rest] = all;
      const kept = { entries: old.slice(0, first?.entries.length ?? 0) };
      await journal.replace(given(isTwo ? [kept, ...rest] : all), options);
    }),
  ),
  mutant('cannot be read while it is replaced', 'replaces a journal by what is made of it while it is read', {
    journal: (journal) => {
      let isReplacing = false;
      return {
        replace: async (batches, options) => {
          isReplacing = true;
          await journal.replace(batches, options).finally(() => {
            isReplacing = false;
          });
        },
        read: (range) => {
          if (isReplacing) throw new Error('Made by a mutant.');
          return journal.read(range);
        },
      };
    },
  }),
  mutant('finds entries by the ids that they had', 'keeps nothing of what was replaced', {
    journal: (journal, { sessionId, shared }) => ({
      replace: async (batches, options) => {
        const old = await collectEntries(journal.read());
        await journal.replace(batches, options);
        shared.set(`old ${sessionId}`, old);
      },
      get: async (ids) => {
        const old = (shared.get(`old ${sessionId}`) as readonly Entry[] | undefined) ?? [];
        const found = await journal.get(ids);
        const lost = found.length < ids.length ? old.filter(({ id }) => ids.includes(id)) : [];
        return [...lost, ...found];
      },
    }),
  }),
  mutant(
    'keeps the checkpoint of the old journal',
    'keeps nothing of what was replaced',
    replaceAs((journal) => async (batches, options) => {
      const { checkpoint } = await journal.tail();
      const all = await collect(batches);
      const isBare = checkpoint !== null && all.every((batch) => batch.checkpoint === undefined);
      const kept = all.map((batch) => (isBare ? { ...batch, checkpoint } : batch));
      await journal.replace(given(kept), options);
    }),
  ),
  mutant(
    'takes the first checkpoint of a replacement',
    'takes the last checkpoint of a replacement for the newest',
    replaceAs((journal) => async (batches, options) => {
      const all = await collect(batches);
      const first = all.find(({ checkpoint }) => checkpoint !== undefined);
      const kept = all.map((batch) => (batch === first ? batch : { entries: batch.entries }));
      await journal.replace(given(kept), options);
    }),
  ),
  mutant(
    'replaces what somebody has appended to',
    ['refuses a replacement that does not know of the newest entries', 'refuses a replacement that has not every seq'],
    onConflict(async (journal, entries) => {
      const old = await collectEntries(journal.read());
      if (entries.length !== 2 || old.length !== 3 || entries[0]?.seq !== 1) throw new Error('refused');
      const whole = [...entries, ...old.slice(2)];
      const text = JSON.stringify(entries);
      if (!text.includes('new 2')) throw new Error('refused');
      await journal.replace(given([{ entries: whole }]), { expectedSeq: old.length });
    }),
  ),
  mutant(
    'sorts a replacement',
    'refuses a replacement that has not every seq',
    onConflict(async (journal, entries) => {
      const sorted = entries.toSorted((a, b) => a.seq - b.seq);
      await journal.replace(given([{ entries: sorted }]), { expectedSeq: sorted.length });
    }),
  ),
  mutant(
    'fills a replacement that fails with the old entries',
    'keeps the journal when its replacement cannot be made',
    replaceAs((journal) => async (batches, options) => {
      const made: JournalBatch[] = [];
      try {
        for await (const batch of batches) made.push(batch);
      } catch (error) {
        const rest = (await collectEntries(journal.read())).slice(made.flatMap(({ entries }) => entries).length);
        await journal.replace(given([...made, { entries: rest }]), options);
        throw error;
      }
      await journal.replace(given(made), options);
    }),
  ),
  mutant('shows after a restart what was replaced', 'keeps a replacement after a restart', {
    journal: (journal, { sessionId, shared, restarts }) => ({
      replace: async (batches, options) => {
        shared.set(`first ${sessionId}`, (await collectEntries(journal.read()))[0]);
        await journal.replace(batches, options);
      },
      async *read(range) {
        const first = shared.get(`first ${sessionId}`) as Entry | undefined;
        for await (const entry of journal.read(range)) yield restarts > 0 && entry.seq === 1 ? (first ?? entry) : entry;
      },
    }),
  }),
  mutant(
    'lets readers replace',
    'lets neither readers nor those who have closed it replace a journal',
    replaceAs((journal, { sessionId, options, healthy }) => async (batches, conditions) => {
      const writer = options.readOnly === true ? await healthy.open(sessionId) : journal;
      await writer.replace(batches, conditions);
    }),
  ),
];
