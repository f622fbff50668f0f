import process from 'node:process';
import { runCli } from './main.ts';

const controller = new AbortController();
// The first Ctrl-C stops the work and prints what there is; the second one ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort(signal));
// A stream that fails tells whoever writes to it, too: that one says what it means for the command.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: controller.signal,
});
