import { constants } from 'node:fs';
import { emptyCounters } from '@varve/core';
import { examineStore, jsonlStore, repairStore, type StoreRepair } from '@varve/stores/jsonl';
import { messageEntries as messages } from '@varve/testkit';
import { DiskHistory, type MemoryDisk, type MemoryFileSystem, memoryFileSystem } from '@varve/testkit/file-system';
import { describe, expect, it } from 'vitest';
import { printTable } from './print-table.ts';

const root = '/memory/store';
const folder = `${root}/agents/main`;

/** Puts other content in the place of a file's. */
async function write(fileSystem: MemoryFileSystem, { path, text }: { readonly path: string; readonly text: string }) {
  await fileSystem.rm(path, { force: true });
  const file = await fileSystem.open(path, constants.O_CREAT | constants.O_RDWR | constants.O_APPEND, 0o600);
  await file.writev([Buffer.from(text)]);
  await file.sync();
  await file.close();
  for (const place of [`${folder}/sessions`, folder]) {
    const opened = await fileSystem.open(place, constants.O_RDONLY);
    await opened.sync();
    await opened.close();
  }
}

/** A store with two journals and an index, all of them damaged, and what a write left that did not end. */
async function damagedStore(): Promise<MemoryFileSystem> {
  const fileSystem = memoryFileSystem();
  {
    await using store = jsonlStore({ root, fileSystem });
    for (const id of ['one', 'two']) {
      const journal = await store.open(id, { create: { v: 1, sessionId: id, createdAt: 1_000 } });
      await journal.append(messages(1, 3), { expectedSeq: 0 });
      await journal.append(messages(4, 5), { expectedSeq: 3 });
      await store.sessions.put(id, { counters: { ...emptyCounters, countedSeq: 5 } }, { expectedRev: 0 });
    }
  }
  const [one, two, index] = ['sessions/one.jsonl', 'sessions/two.jsonl', 'sessions.jsonl'].map(
    (name) => `${folder}/${name}`,
  );
  const lines = async (path = '') => (await fileSystem.readFile(path, 'utf8')).trimEnd().split('\n');
  const change = async (path: string | undefined, edit: (all: readonly string[]) => readonly string[]) => {
    await write(fileSystem, { path: path ?? '', text: edit(await lines(path)).join('\n') });
  };
  await change(one, (all) => [all[0] ?? '', 'rubbish', ...all.slice(2, 4), `${all[4]}${all[5]}`, '{"torn":"li']);
  await change(two, (all) => ['no header', ...all.slice(1), '', '\u0000\u0000\u0000']);
  await change(index, (all) => [...all.slice(0, 2), 'rubbish', ...all.slice(2), '']);
  await write(fileSystem, { path: `${one}.new`, text: 'left over' });
  return fileSystem;
}

async function repair(fileSystem: MemoryFileSystem): Promise<readonly StoreRepair[]> {
  const findings = [];
  for await (const found of examineStore(root, { fileSystem })) findings.push(found);
  const done = [];
  for await (const one of repairStore(root, { findings, fileSystem })) done.push(one);
  return done;
}

/** What the files hold: all of a journal and its quarantine; of an index, whose first line is made by chance, the rest. */
function contentOf(disk: MemoryDisk): Readonly<Record<string, string>> {
  const files = [...disk.files()].map(({ path, id }): readonly [string, string] => {
    const text = disk.bytesOf(id).toString('latin1');
    return [path, path.endsWith('/sessions.jsonl') ? text.split('\n').slice(1).sort().join('\n') : text];
  });
  return Object.fromEntries(files.sort());
}

describe('a repair that is stopped', () => {
  it('is made good by the next one, wherever it stopped and whatever was lost with the power', async () => {
    const fileSystem = await damagedStore();
    const from = fileSystem.changes.length;
    const done = await repair(fileSystem);
    expect(done.map(({ outcome }) => outcome)).toEqual(['repaired', 'repaired', 'repaired']);
    const whole = contentOf(fileSystem.disk);
    const quarantined = Object.entries(whole).filter(([path]) => path.endsWith('.quarantine'));
    expect(quarantined.map(([, text]) => text)).toEqual([
      'rubbish\n',
      '{"torn":"li\nrubbish\n',
      expect.stringContaining('no header\n'),
    ]);
    const { changes } = fileSystem;
    let points = 0;
    for (const loses of ['nothing', 'unsynced'] as const) {
      const history = new DiskHistory(changes);
      for (let change = from; change <= changes.length; change += 1) {
        const next = changes[change];
        const { length } = next?.kind === 'write' ? next.bytes : { length: 0 };
        for (const bytes of new Set([0, 1, length >> 1, length - 1].filter((one) => one >= 0 && one <= length))) {
          const disk = history.stoppedAt({ change, bytes, loses });
          const next = memoryFileSystem({ disk });
          const again = await repair(next);
          const place = { change, bytes, loses };
          expect({ place, again: again.filter(({ outcome }) => outcome !== 'repaired') }).toEqual({ place, again: [] });
          expect({ place, content: contentOf(disk) }).toEqual({ place, content: whole });
          expect({ place, again: await repair(next) }).toEqual({ place, again: [] });
          points += 1;
        }
      }
    }
    expect(points).toBeGreaterThan(100);
    printTable(['stops of a repair', 'made good'], [[String(points), String(points)]]);
  });
});
