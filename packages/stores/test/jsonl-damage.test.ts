import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, Journal, Store } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  readLawfulTail as expectLawfulTail,
  messageEntry as message,
  messageEntries as messages,
} from '@varve/testkit';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;
let file: string;
let repairs: RepairEvent[];
let opened: Store[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions/one.jsonl');
  repairs = [];
  opened = [];
});

afterEach(async () => {
  await closeAll();
  await rm(root, { recursive: true });
});

function open(): Store {
  const store = jsonlStore({ root, durability: 'os', onRepair: (event) => repairs.push(event) });
  opened.push(store);
  return store;
}

async function closeAll(): Promise<void> {
  for (const store of opened.splice(0)) await store[Symbol.asyncDispose]();
}

/** Writes a journal and gives its bytes. */
async function written(write: (journal: Journal) => Promise<unknown>): Promise<Buffer> {
  await write(await begin(open()));
  await closeAll();
  return readFile(file);
}

/** What a reader and then a writer make of these bytes; they must agree. */
async function entriesOf(bytes: Buffer): Promise<Entry[]> {
  repairs = [];
  await writeFile(file, bytes);
  const reader = await open().open('one', { readOnly: true });
  const entries = await all(reader.read());
  await expectLawfulTail(reader);
  expect(bytes.equals(await readFile(file))).toBe(true);
  const writer = await open().open('one');
  expect(await all(writer.read())).toEqual(entries);
  await expectLawfulTail(writer);
  return entries;
}

/** Checks that the journal goes on: after the highest seq, readable by all. */
async function expectAppendable(entries: readonly Entry[]): Promise<void> {
  const [journal] = [await opened.at(-1)?.open('one')];
  const expectedSeq = Math.max(0, ...entries.map(({ seq }) => seq));
  const next = message(expectedSeq + 1, 'next');
  await journal?.append([next], { expectedSeq });
  expect(await journal?.get([next.seq])).toEqual([next]);
  await closeAll();
  const reader = await open().open('one', { readOnly: true });
  expect(await all(reader.read())).toEqual([...entries, next]);
  await expectLawfulTail(reader);
  await closeAll();
}

const lineFeed = 10;

/** An entry of few bytes. */
function small(seq: number): Entry {
  return { v: 1, id: String(seq), parentId: null, seq, at: 0, type: 'a:b', data: null };
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString().split('\n').slice(0, -1);
}

describe('a torn tail', () => {
  it.each([
    ['of one entry', [message(3)], undefined],
    ['of three entries', [3, 4, 5].map(small), undefined],
    ['with a checkpoint', [3, 4].map(small), checkpoint(2)],
  ])('%s is cut and kept aside, wherever it was torn', async (_title, last, made) => {
    let complete = 0;
    const bytes = await written(async (journal) => {
      await journal.append([message(1)], { expectedSeq: 0 });
      await journal.append([message(2)], { expectedSeq: 1, checkpoint: checkpoint(1) });
      complete = (await readFile(file)).length;
      await journal.append(last, { expectedSeq: 2, checkpoint: made });
    });
    for (let length = complete; length <= bytes.length; length += 1) {
      const isWhole = length >= bytes.length - 1;
      const torn = bytes.subarray(0, length);
      const entries = await entriesOf(torn);
      expect(entries).toEqual([...messages(1, 2), ...(isWhole ? last : [])]);
      const kind = length === bytes.length - 1 ? 'missing-line-feed' : 'torn-tail';
      const isClean = length === complete || length === bytes.length;
      expect(repairs.map((repair) => repair.kind)).toEqual(isClean ? [] : [kind]);
      if (kind === 'torn-tail' && !isClean) {
        expect(await readFile(`${file}.quarantine`)).toEqual(
          Buffer.concat([torn.subarray(complete), Buffer.from('\n')]),
        );
        await rm(`${file}.quarantine`);
      }
      // The file is the same from here on wherever it was torn.
      if (isWhole || length % 32 === 0) await expectAppendable(entries);
      await closeAll();
    }
  });

  it('is left alone by a reader', async () => {
    const bytes = await written((journal) => journal.append(messages(1, 2), { expectedSeq: 0 }));
    const torn = bytes.subarray(0, -5);
    await writeFile(file, torn);
    const reader = await open().open('one', { readOnly: true });
    expect(await reader.tail()).toEqual({ checkpoint: null, entries: [] });
    expect(await readFile(file)).toEqual(torn);
    expect(await readdir(join(file, '..'))).toEqual(['one.jsonl']);
    expect(repairs).toEqual([]);
  });

  it('of zeros, as a loss of power leaves it, is cut', async () => {
    const bytes = await written((journal) => journal.append(messages(1, 2), { expectedSeq: 0 }));
    const entries = await entriesOf(Buffer.concat([bytes, Buffer.alloc(9_000)]));
    expect(entries).toEqual(messages(1, 2));
    await expectAppendable(entries);
    expect(await readFile(`${file}.quarantine`)).toHaveLength(9_001);
  });
});

describe('damage inside a journal', () => {
  it('costs the one line that it is in, whichever byte is changed', async () => {
    const bytes = await written(async (journal) => {
      await journal.append(messages(1, 2), { expectedSeq: 0 });
      await journal.append([message(3)], { expectedSeq: 2, checkpoint: checkpoint(2) });
      await journal.append(messages(4, 6), { expectedSeq: 3 });
    });
    const change = fc.record({ at: fc.nat(bytes.length - 1), byte: fc.nat(255) });
    const law = fc.asyncProperty(change, async ({ at, byte }) => {
      fc.pre(bytes[at] !== byte);
      const damaged = Buffer.from(bytes);
      damaged[at] = byte;
      const entries = await entriesOf(damaged);
      // A changed line feed costs nothing: the lines it glues are both whole.
      const lost = bytes[at] === lineFeed ? null : bytes.subarray(0, at).filter((each) => each === lineFeed).length;
      expect(entries).toEqual(messages(1, 6).filter(({ seq }) => seq !== lost));
      expect(repairs.map(({ kind }) => kind)).not.toEqual([]);
      await expectAppendable(entries);
    });
    await fc.assert(law, { numRuns: 150, examples: [[{ at: 0, byte: 0 }], [{ at: bytes.length - 1, byte: 32 }]] });
  });

  it('reports a line that was cut and reads all others', async () => {
    const bytes = await written((journal) => journal.append(messages(1, 10), { expectedSeq: 0 }));
    const lines = linesOf(bytes);
    lines[8] = lines[8]?.slice(0, 30) ?? '';
    const damaged = Buffer.from(`${lines.join('\n')}\n`);
    const entries = await entriesOf(damaged);
    expect(entries).toEqual(messages(1, 10).filter(({ seq }) => seq !== 8));
    const offset = Buffer.byteLength(`${lines.slice(0, 8).join('\n')}\n`);
    expect(repairs).toContainEqual({ kind: 'bad-line', sessionId: 'one', file, offset, length: 30 });
    await expectAppendable(entries);
    expect((await readFile(file)).subarray(0, damaged.length)).toEqual(damaged);
  });

  it('splits lines that were glued together, whatever their first field is', async () => {
    const { v, id, seq, type, parentId, at, ...rest } = message(3);
    const glued = [message(1), message(2), { ...rest, v, id, seq, type, parentId, at }, message(4), message(5)];
    const bytes = await written((journal) => journal.append(glued, { expectedSeq: 0 }));
    const [header, one, two, three, four, five] = linesOf(bytes);
    const entries = await entriesOf(Buffer.from(`${header}\n${one}${two}${three}\n${four}${five}\n`));
    expect(entries).toEqual(messages(1, 5));
    expect(new Set(repairs.map(({ kind }) => kind))).toEqual(new Set(['glued-lines']));
    await expectAppendable(entries);
  });

  it('reads the entry that another program glued to a torn line', async () => {
    const bytes = await written((journal) => journal.append(messages(1, 4), { expectedSeq: 0 }));
    const [header, one, two, three, four] = linesOf(bytes);
    const entries = await entriesOf(Buffer.from(`${header}\n${one}\n${two?.slice(0, -40)}${three}\n${four}\n`));
    expect(entries).toEqual([message(1), message(3), message(4)]);
    expect(new Set(repairs.map(({ kind }) => kind))).toEqual(new Set(['glued-lines', 'bad-line']));
  });

  it('gives up on a line that is full of endings', async () => {
    const bytes = await written((journal) => journal.append(messages(1, 2), { expectedSeq: 0 }));
    const rubbish = '{"v":1,"crc":"00000000"}'.repeat(50_000);
    const entries = await entriesOf(Buffer.from(`${bytes}${rubbish}\n`));
    expect(entries).toEqual(messages(1, 2));
    await expectAppendable(entries);
  });

  it('takes an older checkpoint when the newest cannot be read', async () => {
    const bytes = await written(async (journal) => {
      await journal.append(messages(1, 3), { expectedSeq: 0, checkpoint: checkpoint(2) });
      await journal.append(messages(4, 6), { expectedSeq: 3, checkpoint: checkpoint(5) });
    });
    const damaged = Buffer.from(bytes);
    damaged[damaged.lastIndexOf('settings')] = 0;
    expect((await entriesOf(damaged)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    const tail = await (await open().open('one', { readOnly: true })).tail();
    expect(tail.checkpoint).toEqual(checkpoint(2));
  });

  it.each([
    ['inside a line', 1],
    ['at another line', 150],
  ])('finds the visible entries when the hint of a checkpoint points elsewhere: %s', async (_title, lost) => {
    const bytes = await written(async (journal) => {
      // One by one, so that their lines are equally long.
      for (let seq = 1; seq <= 300; seq += 1) await journal.append([small(seq)], { expectedSeq: seq - 1 });
      await journal.append([small(301)], { expectedSeq: 300, checkpoint: checkpoint(290) });
      await journal.append([small(302)], { expectedSeq: 301 });
    });
    await writeFile(
      file,
      linesOf(bytes)
        .toSpliced(lost, 1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const tail = await (await open().open('one', { readOnly: true })).tail();
    expect(tail.checkpoint).toEqual(checkpoint(290));
    expect(repairs).toEqual([]);
    expect(tail.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 13 }, (_, index) => 290 + index));
  });

  it('finds a checkpoint wherever the chunks of a reader part it', async () => {
    const chunk = 65_536;
    const bytes = await written((journal) => journal.append([small(1)], { expectedSeq: 0, checkpoint: checkpoint(1) }));
    const ending = bytes.length - bytes.indexOf(',"keep"');
    const { length } = JSON.stringify({ ...message(2, ''), more: 0, crc: '00000000' });
    for (let shift = 0; shift <= ending + 1; shift += 1) {
      const sessionId = `shift ${shift}`;
      const journal = await begin(open(), sessionId);
      await journal.append([small(1)], { expectedSeq: 0, checkpoint: checkpoint(1) });
      const text = 'x'.repeat(chunk - length - shift);
      await journal.append([message(2, text)], { expectedSeq: 1 });
      expect((await journal.tail()).checkpoint).toEqual(checkpoint(1));
      await closeAll();
    }
  });
});

describe('text that looks like the store’s own', () => {
  it('is not taken for a checkpoint', async () => {
    const marker = ',"checkpoint":{"visibleFromSeq":1,"state":{}},"keep":56,"more":0,"crc":"00000000"}';
    const nested = { checkpoint: checkpoint(1), keep: 56, more: 0, crc: '00000000' };
    const entries: Entry[] = [
      message(1),
      message(2, `${marker}\n${marker}`),
      { ...message(3), type: 'acme:note', data: nested } as never,
      { ...message(4), type: 'acme:note', data: [nested, nested] } as never,
    ];
    const bytes = await written((journal) => journal.append(entries, { expectedSeq: 0 }));
    expect(await entriesOf(bytes)).toEqual(entries);
    const reader = await open().open('one', { readOnly: true });
    expect(await reader.tail()).toEqual({ checkpoint: null, entries });
    expect(repairs).toEqual([]);
  });

  it('does not hide a real checkpoint behind it', async () => {
    const bytes = await written(async (journal) => {
      await journal.append(messages(1, 3), { expectedSeq: 0, checkpoint: checkpoint(3) });
      const lure = Array.from({ length: 10_000 }, () => ({ v: 1, keep: 1, more: 0, crc: '00000000' }));
      await journal.append([{ ...message(4), type: 'acme:note', data: { lure } } as never], { expectedSeq: 3 });
    });
    await entriesOf(bytes);
    expect((await (await open().open('one', { readOnly: true })).tail()).checkpoint).toEqual(checkpoint(3));
  });
});

describe('a journal whose header is damaged', () => {
  it.each([
    ['cut short', (header: string) => header.slice(0, 20)],
    ['of another session', (header: string) => header.replace('"one"', '"two"')],
    ['of no JSON', () => 'rubbish'],
    ['that is not there', () => ''],
  ])('is read with one that is made up: %s', async (_title, change) => {
    const bytes = await written((journal) => journal.append(messages(1, 3), { expectedSeq: 0 }));
    const [header = '', ...rest] = linesOf(bytes);
    const damaged = Buffer.from([change(header), ...rest, ''].join('\n'));
    const entries = await entriesOf(damaged);
    expect(entries).toEqual(messages(1, 3));
    const journal = await opened.at(-1)?.open('one');
    expect(journal?.header).toEqual({ v: 1, sessionId: 'one', createdAt: message(1).at });
    expect(repairs).toContainEqual(expect.objectContaining({ kind: 'bad-header', offset: 0 }));
    await expectAppendable(entries);
    expect((await readFile(file)).subarray(0, damaged.length)).toEqual(damaged);
  });

  it('does not take the header of a file that was copied', async () => {
    await written((journal) => journal.append(messages(1, 2), { expectedSeq: 0 }));
    const copy = join(file, '../two.jsonl');
    await writeFile(copy, await readFile(file));
    const journal = await open().open('two', { readOnly: true });
    expect(journal.header).toEqual({ v: 1, sessionId: 'two', createdAt: message(1).at });
    expect(await all(journal.read())).toEqual(messages(1, 2));
    expect(repairs.map(({ kind }) => kind)).toEqual(['bad-header']);
  });

  it.each([0, 1, 20])('is begun again when nothing but %i bytes of it were written', async (length) => {
    const bytes = await written(async () => {});
    await writeFile(file, bytes.subarray(0, length));
    const journal = await begin(open());
    await journal.append([message(1)], { expectedSeq: 0 });
    await closeAll();
    expect(await all((await open().open('one')).read())).toEqual([message(1)]);
    expect(linesOf(await readFile(file))[0]).toBe(linesOf(bytes)[0]);
  });

  it('can be read when it is empty', async () => {
    await written(async () => {});
    await truncate(file, 0);
    const reader = await open().open('one', { readOnly: true });
    expect(await reader.tail()).toEqual({ checkpoint: null, entries: [] });
    expect(reader.header).toEqual({ v: 1, sessionId: 'one', createdAt: 0 });
  });
});

describe('a listener of repairs', () => {
  it('is told of each place once, and cannot stop a reader', async () => {
    await written((journal) => journal.append(messages(1, 3), { expectedSeq: 0 }));
    await appendFile(file, 'rubbish\n');
    let told = 0;
    const onRepair = () => {
      told += 1;
      throw new Error('listener');
    };
    await using store = jsonlStore({ root, onRepair });
    const reader = await store.open('one', { readOnly: true });
    for (let times = 0; times < 3; times += 1) expect(await all(reader.read())).toEqual(messages(1, 3));
    expect(told).toBe(1);
  });
});
