import { constants } from 'node:fs';
import { seededRandom } from '@varve/testkit';
import { DiskHistory, faultyFileSystem, memoryFileSystem, systemError } from '@varve/testkit/file-system';
import { describe, expect, it } from 'vitest';

const create = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
const bytes = (text: string): Buffer[] => [Buffer.from(text)];

/** A folder that is durable, with a file in it: `first` is durable, `second` is written, the name is not synced. */
async function halfWritten({ isNamed = false } = {}) {
  const files = memoryFileSystem();
  await files.mkdir('/memory/folder', { mode: 0o700 });
  await (await files.open('/memory', constants.O_RDONLY)).sync();
  const file = await files.open('/memory/folder/file', create, 0o600);
  await file.writev(bytes('first'));
  await file.datasync();
  if (isNamed) await (await files.open('/memory/folder', constants.O_RDONLY)).sync();
  await file.writev(bytes('second'));
  return files;
}

async function textAt(disk: ReturnType<DiskHistory['stoppedAt']>): Promise<string | null> {
  const path = '/memory/folder/file';
  return memoryFileSystem({ disk })
    .readFile(path, 'utf8')
    .catch((error: { readonly code: string }) => error.code);
}

describe('a file system in memory', () => {
  it('gives what was written, at any byte of it', async () => {
    const { changes } = await halfWritten();
    const history = new DiskHistory(changes);
    const last = changes.length - 1;
    const texts = [0, 1, 6].map((count) => history.stoppedAt({ change: last, bytes: count }));
    expect(await Promise.all(texts.map(textAt))).toEqual(['first', 'firsts', 'firstsecond']);
    expect(await textAt(history.stoppedAt({ change: 0 }))).toBe('ENOENT');
  });

  it('loses a name that was not synced, whatever was of the file', async () => {
    const { changes } = await halfWritten();
    const stop = { change: changes.length, loses: 'unsynced' } as const;
    expect(await textAt(new DiskHistory(changes).stoppedAt(stop))).toBe('ENOENT');
  });

  it('loses bytes that were not synced', async () => {
    const { changes } = await halfWritten({ isNamed: true });
    const stop = { change: changes.length, loses: 'unsynced' } as const;
    expect(await textAt(new DiskHistory(changes).stoppedAt(stop))).toBe('first');
  });

  it('loses an arbitrary part that begins with what is durable', async () => {
    const { changes } = await halfWritten({ isNamed: true });
    const texts = new Set<string | null>();
    for (let seed = 1; seed <= 40; seed += 1) {
      const stop = { change: changes.length, loses: { some: seededRandom(seed) } } as const;
      texts.add(await textAt(new DiskHistory(changes).stoppedAt(stop)));
    }
    expect(texts.size).toBeGreaterThan(5);
    for (const text of texts) expect(text).toMatch(/^firsts?e?c?o?n?d?\0*$/);
  });

  it('takes a rename back that was not synced', async () => {
    const files = await halfWritten({ isNamed: true });
    await files.writeFile('/memory/folder/new', 'new', { mode: 0o600 });
    await (await files.open('/memory/folder/new', create)).datasync();
    await files.rename('/memory/folder/new', '/memory/folder/file');
    const before = new DiskHistory(files.changes).stoppedAt({ change: files.changes.length, loses: 'unsynced' });
    expect(await textAt(before)).toBe('first');
    await (await files.open('/memory/folder', constants.O_RDONLY)).sync();
    const after = new DiskHistory(files.changes).stoppedAt({ change: files.changes.length, loses: 'unsynced' });
    expect(await textAt(after)).toBe('new');
  });

  it('drops what was to be written when a sync fails, also for the next one', async () => {
    let fails = 1;
    const files = memoryFileSystem({ failsSync: () => fails-- > 0 });
    const file = await files.open('/memory/file', create, 0o600);
    await file.writev(bytes('ab'));
    await expect(file.datasync()).rejects.toMatchObject({ code: 'EIO' });
    await file.datasync();
    await (await files.open('/memory', constants.O_RDONLY)).sync();
    const disk = files.disk.copy();
    disk.losePower();
    expect(await memoryFileSystem({ disk }).readFile('/memory/file', 'utf8')).toBe('\0\0');
  });

  it('leaves the disk that it was copied from as it was', async () => {
    const files = await halfWritten();
    const copy = memoryFileSystem({ disk: files.disk.copy() });
    await (await copy.open('/memory/folder/file', create)).writev(bytes('third'));
    await (await files.open('/memory/folder/file', create)).writev(bytes('other'));
    expect(await textAt(copy.disk)).toBe('firstsecondthird');
    expect(await textAt(files.disk)).toBe('firstsecondother');
  });

  it('answers as the system does', async () => {
    const files = await halfWritten();
    const code = (value: string) => expect.objectContaining({ code: value });
    await expect(files.stat('/memory/none')).rejects.toEqual(code('ENOENT'));
    await expect(files.open('/memory/folder/file', create | constants.O_EXCL)).rejects.toEqual(code('EEXIST'));
    await expect(files.mkdir('/memory/folder', { mode: 0o700 })).rejects.toEqual(code('EEXIST'));
    await expect(files.rmdir('/memory/folder')).rejects.toEqual(code('ENOTEMPTY'));
    await expect(files.readdir('/memory/folder/file')).rejects.toEqual(code('ENOTDIR'));
    await expect(files.stat('/elsewhere')).rejects.toEqual(code('ENOENT'));
  });
});

describe('a faulty file system', () => {
  it('fails, and shortens writes, as it is told to', async () => {
    const memory = memoryFileSystem();
    const files = faultyFileSystem(memory);
    const file = await files.open('/memory/file', create, 0o600);
    files.fault = (operation) => (operation === 'writev' ? 2 : undefined);
    expect(await file.writev(bytes('abc'))).toEqual({ bytesWritten: 2 });
    files.fault = (operation) => {
      if (operation === 'rename' || operation === 'datasync') throw systemError('ENOSPC');
      return undefined;
    };
    await expect(files.rename('/memory/file', '/memory/other')).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(file.datasync()).rejects.toMatchObject({ code: 'ENOSPC' });
    files.fault = undefined;
    expect(await memory.readFile('/memory/file', 'utf8')).toBe('ab');
    expect(files.counts).toMatchObject({ writev: 1, rename: 1, datasync: 1, open: 1 });
    await file.close();
    expect([files.openFiles, memory.openFiles]).toEqual([0, 0]);
  });
});
