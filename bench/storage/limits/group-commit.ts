import { type FileHandle, open } from 'node:fs/promises';

/** Writes lines to one file. */
export interface LineWriter {
  /** Resolves when the line is stored, as far as the writer promises it. */
  append(value: object): Promise<void>;
  close(): Promise<void>;
}

/**
 * The least that appending from many sides takes: what gathers while a batch is written is the next one. Knows no
 * sequence, no checksum, no lock and no damage.
 */
export async function createGroupCommit(path: string): Promise<LineWriter> {
  const file = await open(path, 'a');
  let waiting: { readonly line: Buffer; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] =
    [];
  let isRunning = false;
  const run = async (): Promise<void> => {
    await null;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await writeAll(
          file,
          batch.map(({ line }) => line),
        );
        await file.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  };
  return {
    append: (value) =>
      new Promise((resolve, reject) => {
        waiting.push({ line: Buffer.from(`${JSON.stringify(value)}\n`), resolve, reject });
        if (isRunning) return;
        isRunning = true;
        void run();
      }),
    close: () => file.close(),
  };
}

/** Writes all buffers: one system call, unless the disk takes less at a time. */
export async function writeAll(file: FileHandle, lines: readonly Buffer[]): Promise<void> {
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const { bytesWritten } = await file.writev([...lines]);
  if (bytesWritten !== length) throw new Error(`Only ${bytesWritten} of ${length} bytes were written.`);
}
