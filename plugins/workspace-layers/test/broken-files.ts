import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

type Open = () => Promise<fsp.FileHandle>;

const allCalls = ['open', 'stat', 'realpath', 'readdir', 'access', 'mkdir'] as const;

/** What a disk does that is not as it should be; nothing is broken by default. */
export interface BrokenFiles {
  /** Calls fail with this. */
  readonly code?: string;
  /** Which ones. @default all */
  readonly calls?: readonly (typeof allCalls)[number][];
  /** What comes instead of opening a file. */
  readonly open?: (path: string, real: Open) => Open;
  /** For so many calls of `open`. @default all */
  readonly times?: number;
  /** Files take so many bytes more, and then no other one. */
  readonly fillsUpAfter?: number;
  /** What happens when that is reached; then there is room again. @default the disk stays full */
  readonly onFull?: () => void;
}

const real = { ...fsp };

/** Breaks the disk for this process, until the test is over or it is broken in another way. */
export function breakFiles(broken: BrokenFiles): void {
  const { code, calls = allCalls, open, times = Infinity, fillsUpAfter, onFull } = broken;
  const replaced: Record<string, unknown> & { open?: unknown } = {};
  if (code !== undefined) for (const name of calls) replaced[name] = () => Promise.reject(failure(code));
  const opened =
    open ??
    (fillsUpAfter === undefined
      ? undefined
      : (_: string, file: Open) => filling(file, { bytes: fillsUpAfter, onFull }));
  let left = times;
  if (opened !== undefined) {
    replaced.open = async (...given: Parameters<typeof fsp.open>): Promise<fsp.FileHandle> => {
      const asUsual = () => real.open(...given);
      if (left <= 0) return asUsual();
      left -= 1;
      return opened(String(given[0]), asUsual)();
    };
  }
  Object.assign(fsp, real, replaced);
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fsp, real);
    syncBuiltinESMExports();
  });
}

/** A file that takes so many bytes, and then none, or as many again as it is given. */
function filling(
  open: Open,
  { bytes, onFull }: { readonly bytes: number; readonly onFull?: (() => void) | undefined },
): Open {
  return async () => {
    const file = await open();
    const write = file.write.bind(file);
    let left = bytes;
    const writeSome = async (buffer: Uint8Array) => {
      if (left === 0) throw failure('ENOSPC');
      const part = buffer.subarray(0, left);
      left -= part.length;
      const written = await write(part);
      if (left === 0 && onFull !== undefined) {
        onFull();
        left = Infinity;
      }
      return written;
    };
    return Object.assign(file, { write: writeSome });
  };
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: the disk`), { code });
}
