import { execFile } from 'node:child_process';
import { mkdtemp, open as openFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type MessageEntry, VarveError } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  messageEntry as message,
  messageEntries as messages,
} from '@varve/testkit';
import { faultyFileSystem } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const megabyte = 1_048_576;
const longest = 64 * megabyte;

let root: string;
let file: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions/one.jsonl');
});

afterEach(() => rm(root, { recursive: true }));

/** An entry that has that many bytes as JSON. */
function entryOf(seq: number, bytes: number): MessageEntry {
  const empty = message(seq, '');
  const text = 'x'.repeat(bytes - JSON.stringify(empty).length);
  return { ...empty, message: { role: 'user', content: [{ type: 'text', text }] } };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!VarveError.is(error)) throw error;
  return error.code;
}

describe('an entry of 64 MB', () => {
  it('is written and read', async () => {
    await using store = jsonlStore({ root, durability: 'os' });
    const journal = await begin(store);
    await journal.append([message(1), entryOf(2, longest)], { expectedSeq: 0, checkpoint: checkpoint(2) });
    await journal.append([message(3)], { expectedSeq: 2 });
    const lengths = (entries: readonly unknown[]) => entries.map((entry) => JSON.stringify(entry).length);
    const { length } = JSON.stringify(message(3));
    expect(lengths((await journal.tail()).entries)).toEqual([longest, length]);
    expect(lengths(await journal.get([2]))).toEqual([longest]);
    expect((await journal.get([message(3).id, message(2).id])).map(({ seq }) => seq)).toEqual([3, 2]);
    expect((await all(journal.read())).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('is the largest: one byte more is refused, and nothing appended', async () => {
    await using store = jsonlStore({ root, durability: 'os' });
    const journal = await begin(store);
    const larger = entryOf(2, longest + 1);
    const code = 'VARVE_ENTRY_TOO_LARGE';
    expect(await codeOf(journal.append([message(1), larger], { expectedSeq: 0 }))).toBe(code);
    const settings = { notes: 'ü'.repeat(longest / 2) };
    const large = checkpoint(1, settings as never);
    expect(await codeOf(journal.append([message(1)], { expectedSeq: 0, checkpoint: large }))).toBe(code);
    async function* batches() {
      yield { entries: [message(1), larger] };
    }
    await journal.append(messages(1, 2), { expectedSeq: 0 });
    expect(await codeOf(journal.replace(batches(), { expectedSeq: 2 }))).toBe(code);
    expect(await all(journal.read())).toEqual(messages(1, 2));
  });
});

describe('a line that is longer than any entry', () => {
  it('is skipped in bounded memory', async () => {
    const fileSystem = faultyFileSystem();
    const repairs: RepairEvent[] = [];
    await using store = jsonlStore({ root, durability: 'os', fileSystem, onRepair: (event) => repairs.push(event) });
    const journal = await begin(store);
    await journal.append(messages(1, 3), { expectedSeq: 0 });
    await journal.close();
    const { size } = await stat(file);
    const handle = await openFile(file, 'r+');
    // A hole that takes no room on the disk.
    await handle.write('\n', size + 300 * megabyte);
    await handle.close();
    const before = process.memoryUsage().arrayBuffers;
    const again = await store.open('one');
    expect(await all(again.read())).toEqual(messages(1, 3));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(280 * megabyte);
    await again.append([message(4)], { expectedSeq: 3 });
    expect((await again.tail()).entries).toEqual(messages(1, 4));
    expect(repairs.map(({ kind, length }) => [kind, length])).toEqual([['bad-line', 300 * megabyte]]);
    expect(fileSystem.largestRead).toBeLessThan(1.1 * megabyte);
  });
});

describe('a long journal', () => {
  // VARVE_LARGE_MB=1024 makes it one of 1 GB.
  const { VARVE_LARGE_MB = '96', VARVE_PRINT } = process.env;
  const bytesPerEntry = 16_384;
  const lastSeq = (Number(VARVE_LARGE_MB) * megabyte) / bytesPerEntry;

  it('is opened, streamed, examined and read in places with a heap of 64 MB', { timeout: 600_000 }, async () => {
    {
      await using store = jsonlStore({ root, durability: 'os' });
      const journal = await begin(store, 'large');
      const step = 64;
      for (let seq = 0; seq < lastSeq; seq += step) {
        const entries = messages(seq + 1, seq + step).map((entry) => entryOf(entry.seq, bytesPerEntry));
        await journal.append(entries, { expectedSeq: seq, checkpoint: checkpoint(seq + 1) });
      }
    }
    const child = fileURLToPath(new URL('./use-large-journal.ts', import.meta.url));
    const argv = [
      '--max-old-space-size=64',
      '--conditions=@varve/source',
      '--import',
      'tsx',
      child,
      root,
      `${lastSeq}`,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: import.meta.dirname });
    if (VARVE_PRINT === '1') process.stdout.write(`\n${VARVE_LARGE_MB} MB: ${stdout}\n`);
    const { found, codes } = JSON.parse(stdout);
    expect(found).toEqual({
      tail: 64,
      single: [1, Math.floor(lastSeq / 3), lastSeq - 1],
      byId: [Math.floor(lastSeq / 2)],
      count: lastSeq,
    });
    expect(codes).toEqual(['journal-without-record', 'lock-live', 'examined']);
  });
});
