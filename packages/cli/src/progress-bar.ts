import { SingleBar } from 'cli-progress';
import type { CliStream } from './cli-io.ts';

/** Shows how far reading has come. */
export interface ProgressBar extends Disposable {
  update(bytes: { readonly read: number; readonly total: number }): void;
}

/** Smaller files are done before a bar would be read. */
const leastBytes = 2 * 1024 * 1024;

/**
 * A bar on a terminal, for what takes a while; elsewhere nothing. Disposing of it wipes it off.
 *
 * @param options.doing  What stands before the bar, such as `replaying`.
 */
export function createProgressBar(stream: CliStream, { doing }: { readonly doing: string }): ProgressBar {
  let bar: SingleBar | null = null;
  const begin = (): SingleBar => {
    const made = new SingleBar({
      stream,
      format: `${doing} {bar} {percentage} %`,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 40,
      hideCursor: true,
      clearOnComplete: true,
      // Ctrl-C is for the command itself: it wipes the bar off by disposing of it.
      gracefulExit: false,
      fps: 10,
    });
    made.start(100, 0);
    return made;
  };
  return {
    update: ({ read, total }) => {
      if (stream.isTTY !== true || total < leastBytes) return;
      bar ??= begin();
      bar.update(Math.min(100, Math.floor((100 * read) / total)));
    },
    [Symbol.dispose]: () => bar?.stop(),
  };
}
