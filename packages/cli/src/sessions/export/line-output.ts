import { open } from 'node:fs/promises';
import { VarveError } from '@varve/core';
import { type CliIo, writeTo } from '../../terminal/cli-io.ts';
import { codeOf } from '../../terminal/make-folder.ts';
import { printableJson } from '../../terminal/printable-text.ts';

/** Where lines of JSON go. */
export interface LineOutput extends AsyncDisposable {
  write(value: object): Promise<void>;
}

/**
 * Opens a file that does not exist yet, for its owner alone, or the standard output. What a terminal obeys is escaped:
 * every parser reads the same value.
 *
 * @throws VARVE_STORE_IO  when the file is there already, or cannot be written.
 */
export async function openLineOutput(io: CliIo, path: string | undefined): Promise<LineOutput> {
  if (path === undefined) {
    return { write: (value) => writeTo(io.stdout, `${printableJson(value)}\n`), [Symbol.asyncDispose]: async () => {} };
  }
  const failed = (cause: unknown): VarveError => {
    const isThere = codeOf(cause) === 'EEXIST';
    const why = isThere ? 'there is a file of that name' : codeOf(cause);
    return new VarveError('VARVE_STORE_IO', `"${path}" cannot be written: ${why}.`, {
      fix: isThere ? 'Give another name to --out, or remove the file.' : 'Give --out a file that can be written to.',
      cause,
    });
  };
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw failed(error);
  });
  return {
    write: (value) =>
      file.appendFile(`${printableJson(value)}\n`).catch((error: unknown) => {
        throw failed(error);
      }),
    [Symbol.asyncDispose]: () => file.close(),
  };
}
