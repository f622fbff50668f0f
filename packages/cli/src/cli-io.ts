/** A stream that the command line writes to: `process.stdout`, or what a test captures. */
export interface CliStream extends NodeJS.WritableStream {
  /** True for a terminal: only then are there colours and a progress bar. */
  readonly isTTY?: boolean | undefined;
  /** Width of the terminal, in characters. */
  readonly columns?: number | undefined;
}

/** All that a command touches of its process, so that tests can stand in for it. */
export interface CliIo {
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C: the command stops, cleans up, and prints what it has. */
  readonly signal?: AbortSignal | undefined;
}

/** Width of what is printed when the terminal does not say. */
const defaultColumns = 80;
const leastColumns = 40;
const mostColumns = 240;

/** Writes a text and waits until the stream has taken it. A reader that has gone away (`| head`) is no error. */
export async function writeTo(stream: CliStream, text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.write(text, () => resolve());
  });
}

/** Whether colours may be used on a stream: on a terminal, unless the user has set `NO_COLOR`. */
export function usesColours(stream: CliStream, env: CliIo['env']): boolean {
  const { NO_COLOR = '', TERM } = env;
  return stream.isTTY === true && NO_COLOR === '' && TERM !== 'dumb';
}

/** Characters that fit into one line. */
export function columnsOf(stream: CliStream): number {
  // A terminal that does not know its width says 0.
  const columns = stream.isTTY === true ? stream.columns || defaultColumns : defaultColumns;
  return Math.min(mostColumns, Math.max(leastColumns, columns));
}
