import { dirname } from 'node:path';
import { existing } from './existing.ts';
import { appendTo, type FileSystem, modes, type OpenFile, openFlags, readAt } from './file-system.ts';
import { syncFolder } from './journal-path.ts';

const chunk = 1_048_576;

/** So much of the end of a quarantine is compared with what comes next: a stop may have left a part of it there. */
const comparedBytes = 65_536;

/** Where bytes of a file are kept that were cut. */
export function quarantineFileOf(file: string): string {
  return `${file}.quarantine`;
}

/** Stretches of a file, in its order. */
interface Cut {
  /** The file whose quarantine it is. */
  readonly file: string;
  readonly source: OpenFile;
  readonly stretches: readonly { readonly offset: number; readonly length: number }[];
}

/** Copies a stretch of a file to the end of `<file>.quarantine`, durably, and returns that file's path. */
export function quarantine(
  fileSystem: FileSystem,
  stretch: { readonly file: string; readonly source: OpenFile; readonly from: number; readonly to: number },
): Promise<string> {
  const { file, source, from, to } = stretch;
  return quarantineAll(fileSystem, { file, source, stretches: [{ offset: from, length: to - from }] });
}

/**
 * Copies stretches of a file to the end of `<file>.quarantine`, each with a line feed behind it, durably, and returns that
 * file's path. What stands there already, because a stop came between this and the cut, is not written again.
 */
export async function quarantineAll(fileSystem: FileSystem, cut: Cut): Promise<string> {
  const path = quarantineFileOf(cut.file);
  const isNew = (await existing(fileSystem.stat(path))) === null;
  const target = await fileSystem.open(path, openFlags.create, modes.file);
  try {
    let skipped = isNew ? 0 : await bytesThere(target, { end: fileSystem.fstatSync(target.fd).size, cut });
    for await (const bytes of bytesOf(cut)) {
      if (bytes.length > skipped) await appendTo(target, [bytes.subarray(skipped)]);
      skipped = Math.max(0, skipped - bytes.length);
    }
    await target.datasync();
  } finally {
    await target.close();
  }
  // The bytes are cut next, and they must not be gone with the name of this file.
  if (isNew) await syncFolder(fileSystem, dirname(path));
  return path;
}

/** How many bytes of what is to be written are the end of the quarantine already. */
async function bytesThere(
  target: OpenFile,
  { end, cut }: { readonly end: number; readonly cut: Cut },
): Promise<number> {
  const whole = cut.stretches.reduce((sum, { length }) => sum + length + 1, 0);
  if (whole <= end && (await isAt(target, { position: end - whole, cut }))) return whole;
  const first = await beginningOf(cut);
  const most = Math.min(first.length, end);
  const last = await readAt(target, { position: end - most, length: most });
  for (
    let from = last.indexOf(first.subarray(0, 1));
    from !== -1;
    from = last.indexOf(first.subarray(0, 1), from + 1)
  ) {
    if (last.subarray(from).equals(first.subarray(0, last.length - from))) return last.length - from;
  }
  return 0;
}

async function isAt(target: OpenFile, place: { readonly position: number; readonly cut: Cut }): Promise<boolean> {
  let { position } = place;
  for await (const bytes of bytesOf(place.cut)) {
    if (!bytes.equals(await readAt(target, { position, length: bytes.length }))) return false;
    position += bytes.length;
  }
  return true;
}

async function beginningOf(cut: Cut): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const bytes of bytesOf(cut)) {
    parts.push(bytes);
    length += bytes.length;
    if (length >= comparedBytes) break;
  }
  return Buffer.concat(parts).subarray(0, comparedBytes);
}

async function* bytesOf({ source, stretches }: Cut): AsyncGenerator<Buffer> {
  for (const { offset, length } of stretches) {
    const end = offset + length;
    for (let position = offset; position < end; ) {
      const bytes = await readAt(source, { position, length: Math.min(chunk, end - position) });
      if (bytes.length === 0) break;
      yield bytes;
      position += bytes.length;
    }
    yield Buffer.from('\n');
  }
}
