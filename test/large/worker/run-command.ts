import { Writable } from 'node:stream';
import { runCli } from '@varve/cli';

/** What a command printed, the end of it, and how many lines. */
export interface RunCommand {
  readonly code: number;
  readonly lines: number;
  readonly end: string;
}

/** Of what is printed so much is kept. */
const keptCharacters = 65_536;

/** Runs a command of the command line in this process. What it prints is counted and let go of. */
export async function runCommand(argv: readonly string[]): Promise<RunCommand> {
  let lines = 0;
  let end = '';
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const text = chunk.toString();
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
      end = (end + text).slice(-keptCharacters);
      done();
    },
  });
  const code = await runCli(argv, { stdout, stderr: stdout, env: {}, cwd: '/' });
  return { code, lines, end };
}
