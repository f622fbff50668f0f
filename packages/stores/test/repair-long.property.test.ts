import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry } from '@varve/core';
import { examineStore, jsonlStore, repairStore, type StoreFinding } from '@varve/stores/jsonl';
import { beginJournal, collectEntries, messageEntry } from '@varve/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';

async function entriesOf(root: string): Promise<readonly Entry[]> {
  await using store = jsonlStore({ root });
  return collectEntries((await beginJournal(store)).read());
}

it('the entries of a journal of many chunks are what they were, wherever lines of it were broken', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 30, maxLength: 60 });
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sizes, places, async (lengths, broken) => {
      const root = await mkdtemp(join(tmpdir(), 'varve-'));
      try {
        await using store = jsonlStore({ root, durability: 'os' });
        const journal = await beginJournal(store);
        const entries = lengths.map((length, index) => messageEntry(index + 1, 'é'.repeat(length)));
        for (const entry of entries) await journal.append([entry], { expectedSeq: entry.seq - 1 });
        await journal.close();
        const file = join(root, 'agents/main/sessions/one.jsonl');
        const lines = (await readFile(file, 'utf8')).split('\n');
        const gone = new Set(broken.map((place) => 1 + (place % entries.length)));
        for (const seq of gone) lines[seq] = `broken${lines[seq]?.slice(0, 200)}`;
        await writeFile(file, lines.join('\n'));
        const findings: StoreFinding[] = [];
        for await (const one of examineStore(root)) findings.push(one);
        for await (const { outcome } of repairStore(root, { findings })) expect(outcome).toBe('repaired');
        expect(await entriesOf(root)).toEqual(entries.filter(({ seq }) => !gone.has(seq)));
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    }),
    { numRuns: 8 },
  );
});
