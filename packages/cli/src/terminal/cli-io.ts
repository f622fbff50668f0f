import type { Readable } from 'node:stream';
import { VarveError } from '@varve/core';

/** A stream that the command line writes to: `process.stdout`, or what a test captures. */
export interface CliStream extends NodeJS.WritableStream {
  /** True for a terminal: only then are there colours and a progress bar. */
  readonly isTTY?: boolean | undefined;
  /** Width of the terminal, in characters. */
  readonly columns?: number | undefined;
}

/** A stream that the command line reads from: `process.stdin`, or what a test types. */
export interface CliInput extends Readable {
  /** True for a terminal: only then is there somebody to answer a question. */
  readonly isTTY?: boolean | undefined;
}

/** All that a command touches of its process, so that tests can stand in for it. */
export interface CliIo {
  /** What `varve chat` reads. @default nothing: at its end from the start */
  readonly stdin?: CliInput | undefined;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that a configuration is looked for in, and above. @default that of the process */
  readonly cwd?: string | undefined;
  /** Aborted by Ctrl-C: the command stops, cleans up, and prints what it has. */
  readonly signal?: AbortSignal | undefined;
}

/** Width of what is printed when the terminal does not say. */
const defaultColumns = 80;
const leastColumns = 40;
const mostColumns = 240;

/** How a stream says that its reader has gone away, as `head` does. */
const readerIsGone: readonly (string | undefined)[] = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'];

/**
 * Writes a text and waits until the stream has taken it. A reader that has gone away (`| head`) is no error.
 *
 * @throws VARVE_STORE_IO  when the text cannot be written, as on a full disk.
 */
export async function writeTo(stream: CliStream, text: string): Promise<void> {
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    stream.write(text, resolve);
  });
  if (!error || readerIsGone.includes(error.code)) return;
  throw new VarveError('VARVE_STORE_IO', `The output cannot be written: ${error.code ?? error.message}.`, {
    fix: 'Make room on the disk, or send the output somewhere else.',
    cause: error,
  });
}

/** Whether colours may be used on a stream: on a terminal, unless the user has set `NO_COLOR`. */
export function usesColours(stream: CliStream, env: CliIo['env']): boolean {
  const { NO_COLOR = '', TERM } = env;
  return stream.isTTY === true && NO_COLOR === '' && TERM !== 'dumb';
}

/** Characters that fit into one line of a text that may be cut: what goes to a file or another program is never cut. */
export function lineColumnsOf(stream: CliStream): number {
  return stream.isTTY === true ? columnsOf(stream) : Infinity;
}

/** Characters that fit into one line. */
export function columnsOf(stream: CliStream): number {
  // A terminal that does not know its width says 0.
  const columns = stream.isTTY === true ? stream.columns || defaultColumns : defaultColumns;
  return Math.min(mostColumns, Math.max(leastColumns, columns));
}
