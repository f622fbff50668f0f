import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { runCli } from '@varve/cli';

/** A gateway that runs, and what it said when it began. */
export interface Serving {
  readonly said: { readonly url: string; readonly token: string | null; readonly model: string };
  /** Ends it; resolves to its exit code. */
  stop(): Promise<number>;
}

/** Serves until it is stopped. */
export async function startServing(
  argv: readonly string[],
  { env, cwd }: { readonly env: Record<string, string>; readonly cwd: string },
): Promise<Serving> {
  const controller = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdout, stderr, env, cwd, signal: controller.signal };
  const ended = runCli(['serve', '--port', '0', '--json', ...argv], io);
  const failed = ended.then((code) => {
    throw new Error(`It ended with ${code}: ${String(stderr.read())}`);
  });
  const [chunk] = await Promise.race([once(stdout, 'data'), failed]);
  failed.catch(() => undefined);
  return {
    said: JSON.parse(String(chunk)),
    stop: async () => {
      controller.abort();
      return ended;
    },
  };
}
