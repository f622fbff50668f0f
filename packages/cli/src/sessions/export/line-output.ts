import { open } from 'node:fs/promises';
import { VarveError } from '@varve/core';
import { type CliIo, writeTo } from '../../terminal/cli-io.ts';
import { codeOf } from '../../terminal/make-folder.ts';
import { printableJson } from '../../terminal/printable-text.ts';

/** Where lines of JSON go. Only what was flushed is certain to be there. */
export interface LineOutput extends AsyncDisposable {
  write(value: object): Promise<void>;
  flush(): Promise<void>;
}

/** Lines that are written together, in characters: one write a line would take ten times as long. */
const writtenTogether = 262_144;

/**
 * Opens a file that does not exist yet, for its owner alone, or the standard output. What a terminal obeys is escaped:
 * every parser reads the same value.
 *
 * @throws VARVE_STORE_IO  when the file is there already, or cannot be written.
 */
export async function openLineOutput(io: CliIo, path: string | undefined): Promise<LineOutput> {
  if (path === undefined) {
    const write = (value: object): Promise<void> => writeTo(io.stdout, `${printableJson(value)}\n`);
    return { write, flush: async () => {}, [Symbol.asyncDispose]: async () => {} };
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
  let lines: string[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    if (length === 0) return;
    const text = lines.join('');
    lines = [];
    length = 0;
    await file.appendFile(text).catch((error: unknown) => {
      throw failed(error);
    });
  };
  return {
    write: async (value) => {
      const line = `${printableJson(value)}\n`;
      lines.push(line);
      length += line.length;
      if (length >= writtenTogether) await flush();
    },
    flush,
    [Symbol.asyncDispose]: async () => {
      try {
        await flush();
      } finally {
        await file.close();
      }
    },
  };
}
