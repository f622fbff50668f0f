import { appendTo, type FileSystem, modes, type OpenFile, openFlags, readAt } from './file-system.ts';

const chunk = 1_048_576;

/** Where bytes of a file are kept that were cut. */
export function quarantineFileOf(file: string): string {
  return `${file}.quarantine`;
}

/** Copies a stretch of a file to the end of `<file>.quarantine`, durably, and returns that file's path. */
export async function quarantine(
  fileSystem: FileSystem,
  stretch: { readonly file: string; readonly source: OpenFile; readonly from: number; readonly to: number },
): Promise<string> {
  const path = quarantineFileOf(stretch.file);
  const target = await fileSystem.open(path, openFlags.create, modes.file);
  try {
    for (let position = stretch.from; position < stretch.to; ) {
      const bytes = await readAt(stretch.source, { position, length: Math.min(chunk, stretch.to - position) });
      if (bytes.length === 0) break;
      await appendTo(target, [bytes]);
      position += bytes.length;
    }
    await appendTo(target, [Buffer.from('\n')]);
    await target.datasync();
  } finally {
    await target.close();
  }
  return path;
}
