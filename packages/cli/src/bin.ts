import process from 'node:process';
import { runCli } from './main.ts';

const controller = new AbortController();
// The first Ctrl-C stops the work and prints what there is; the second one ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort(signal));
for (const stream of [process.stdout, process.stderr]) {
  // The reader has gone away, as `head` does: what is left is written to nobody.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: controller.signal,
});
