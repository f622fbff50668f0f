import { copyFileSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  messageEntries as messages,
  readLawfulTail,
} from '@varve/testkit';
import { faultyFileSystem } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
});

afterEach(() => rm(root, { recursive: true }));

/** Appends of three entries each, every fourth with a checkpoint. */
const appendSize = 3;

function expectPrefix(entries: readonly Entry[], where: string): void {
  expect(entries, where).toEqual(messages(1, entries.length));
  expect(entries.length % appendSize, where).toBe(0);
}

describe('a reader without a lock', () => {
  it.for(['os', 'fsync'] as const)(
    'sees whole appends and no gap while another store writes: %s',
    async (durability, { signal }) => {
      const repairs: RepairEvent[] = [];
      await using writing = jsonlStore({ root, durability });
      await using reading = jsonlStore({ root, onRepair: (event) => repairs.push(event) });
      const writer = await begin(writing);
      const reader = await reading.open('one', { readOnly: true });
      let lastSeq = 0;
      let isDone = false;
      const lengths = new Set<number>();
      const write = async (): Promise<void> => {
        // Until the reader has been there often enough, however the two take turns.
        for (let count = 0; count < 200 || lengths.size <= 3; count += 1) {
          signal.throwIfAborted();
          const visible = count % 4 === 3 ? checkpoint(Math.max(1, lastSeq - 5)) : undefined;
          const entries = messages(lastSeq + 1, lastSeq + appendSize);
          ({ seq: lastSeq } = await writer.append(entries, { expectedSeq: lastSeq, checkpoint: visible }));
          // Without a sync the loop would never let anybody else run.
          if (durability === 'os') await new Promise(setImmediate);
        }
        isDone = true;
      };
      const read = async (): Promise<void> => {
        while (!isDone) {
          const before = lastSeq;
          const entries = await all(reader.read());
          expectPrefix(entries, 'read');
          expect(entries.length).toBeGreaterThanOrEqual(before);
          lengths.add(entries.length);
          await readTail();
        }
      };
      const readTail = async (): Promise<void> => {
        const { entries, checkpoint: made } = await reader.tail();
        const from = made?.visibleFromSeq ?? 1;
        expect(entries).toEqual(messages(from, from + entries.length - 1));
        expect((from + entries.length - 1) % appendSize).toBe(0);
      };
      await Promise.all([write(), read()]);
      expect(await all(reader.read())).toEqual(messages(1, lastSeq));
      await readLawfulTail(reader);
      expect(lengths.size).toBeGreaterThan(3);
      expect(repairs).toEqual([]);
    },
  );

  it('ends an iteration where the journal ended when it began', async () => {
    await using writing = jsonlStore({ root, durability: 'os' });
    await using reading = jsonlStore({ root });
    const writer = await begin(writing);
    await writer.append(messages(1, 6), { expectedSeq: 0 });
    const reader = await reading.open('one', { readOnly: true });
    let seen = 0;
    for await (const { seq } of reader.read()) {
      await writer.append(messages(seq + 6, seq + 6), { expectedSeq: seq + 5 });
      seen = seq;
    }
    expect(seen).toBe(6);
    expect(await all(reader.read())).toEqual(messages(1, 12));
  });

  it('sees nothing of an append that is half on the disk, wherever it is cut', async () => {
    const fileSystem = faultyFileSystem();
    await using store = jsonlStore({ root, durability: 'fsync', fileSystem });
    const file = join(root, 'agents/main/sessions/one.jsonl');
    const journal = await begin(store);
    await journal.append(messages(1, 3), { expectedSeq: 0 });
    // The file as a reader would find it, whenever another byte of the append has been written.
    const copies: string[] = [];
    fileSystem.fault = (operation, path) => {
      if (operation !== 'writev' || path !== file) return undefined;
      const folder = join(root, 'copies', String(copies.length));
      mkdirSync(join(folder, 'agents/main/sessions'), { recursive: true });
      copyFileSync(file, join(folder, 'agents/main/sessions/one.jsonl'));
      copies.push(folder);
      return 7;
    };
    await journal.append(messages(4, 6), { expectedSeq: 3, checkpoint: checkpoint(5) });
    fileSystem.fault = undefined;
    expect(copies.length).toBeGreaterThan(50);
    for (const copy of copies) {
      await using reading = jsonlStore({ root: copy });
      const reader = await reading.open('one', { readOnly: true });
      expect(await all(reader.read())).toEqual(messages(1, 3));
      expect(await reader.tail()).toEqual({ checkpoint: null, entries: messages(1, 3) });
    }
    expect(await all(journal.read())).toEqual(messages(1, 6));
  });
});
