import { type FaultyFileSystem, type FileOperation, systemError } from '@varve/testkit/file-system';

/** How an operation fails. */
export interface FaultMode {
  readonly title: string;
  readonly code: string;
  /** True when nothing works from there on, as when the machine went down. */
  readonly isFinal: boolean;
  /** A write takes so many bytes before it fails. */
  readonly written?: number;
}

/** The ways in which each operation is made to fail. */
export const faultModes: readonly FaultMode[] = [
  { title: 'once, EIO', code: 'EIO', isFinal: false },
  { title: 'once, ENOSPC', code: 'ENOSPC', isFinal: false },
  { title: 'in the middle of a write', code: 'ENOSPC', isFinal: false, written: 100 },
  { title: 'and all that follow', code: 'EIO', isFinal: true },
];

const changing: readonly FileOperation[] = [
  'open',
  'writev',
  'datasync',
  'sync',
  'truncate',
  'writevSync',
  'rename',
  'rm',
];

/**
 * Makes the operation with that number fail, from now on counted; those that only look do not count.
 *
 * @returns Ends it, and gives the operation that failed; `null` when fewer were done.
 */
export function failStep(fileSystem: FaultyFileSystem, step: number, mode: FaultMode): () => string | null {
  let count = 0;
  let failed: string | null = null;
  let isShort = false;
  fileSystem.fault = (operation, path) => {
    if (!changing.includes(operation)) return undefined;
    count += 1;
    if (isShort) {
      isShort = false;
      throw systemError(mode.code);
    }
    if (count !== step && !(mode.isFinal && count > step)) return undefined;
    failed ??= `${operation} ${path}`;
    if (mode.written !== undefined && operation.startsWith('writev')) {
      isShort = true;
      return mode.written;
    }
    throw systemError(mode.code);
  };
  return () => {
    fileSystem.fault = undefined;
    return failed;
  };
}
