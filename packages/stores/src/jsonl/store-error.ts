import { VarveError } from '@varve/core';

/** What the store was doing when the disk refused. */
export interface Attempt {
  /** As in "Cannot … the journal". */
  readonly doing: string;
  readonly file: string;
}

/** Wraps what the file system threw in `VARVE_STORE_IO`; errors of Varve stay as they are. */
export function storeError(error: unknown, { doing, file }: Attempt): VarveError {
  if (VarveError.is(error)) return error;
  const code = codeOf(error);
  return new VarveError('VARVE_STORE_IO', `Cannot ${doing} "${file}": ${code ?? textOf(error)}.`, {
    fix: fixes[code ?? ''] ?? 'Check the disk and the permissions of the folder, then try again.',
    cause: error,
    details: { file, code },
  });
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

const fixes: Readonly<Record<string, string>> = {
  EACCES: 'Give this user read and write access to the folder of the store.',
  EDQUOT: 'Free disk space or raise the quota, then try again.',
  ELOOP: 'Put the file itself in the place of the symbolic link: none is followed.',
  EMFILE: 'Close journals that are not used, or raise the limit of open files.',
  ENOSPC: 'Free disk space, then try again.',
  EPERM: 'Give this user read and write access to the folder of the store.',
  EROFS: 'Mount the file system for writing, or open journals with `readOnly`.',
};

/** The message of anything that was thrown, without a full stop. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
