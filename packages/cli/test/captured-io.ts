import { Readable, Writable } from 'node:stream';
import { type CliIo, type CliStream, runCli } from '@varve/cli';

/** What a run of the command line printed, and how it ended. */
export interface CapturedRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a terminal would be like; by default there is none. */
export interface CaptureOptions {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly env?: Record<string, string>;
  /** Folder that a configuration is looked for in. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** What is typed, or the pieces of it as they come. @default nothing */
  readonly stdin?: string | AsyncIterable<string>;
}

/** Runs the command line in this process and captures what it prints. */
export async function run(argv: readonly string[], options: CaptureOptions = {}): Promise<CapturedRun> {
  const { env = {}, cwd, signal, stdin = '', isTTY = false } = options;
  const out: string[] = [];
  const err: string[] = [];
  const typed = Object.assign(Readable.from(typeof stdin === 'string' ? [stdin] : stdin), { isTTY });
  const io: CliIo = { stdin: typed, stdout: capture(out, options), stderr: capture(err, options), env, cwd, signal };
  const code = await runCli(argv, io);
  return { code, out: out.join(''), err: err.join('') };
}

function capture(texts: string[], { isTTY = false, columns = 80 }: CaptureOptions): CliStream {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      texts.push(chunk.toString());
      done();
    },
  });
  return Object.assign(stream, { isTTY, columns });
}
