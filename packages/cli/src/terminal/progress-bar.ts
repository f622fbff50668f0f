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
  return {
    update: ({ read, total }) => {
      if (stream.isTTY !== true || total < leastBytes) return;
      bar ??= beginBar(stream, { format: `${doing} {bar} {percentage} %`, total: 100 });
      bar.update(Math.min(100, Math.floor((100 * read) / total)));
    },
    [Symbol.dispose]: () => bar?.stop(),
  };
}

/** Shows which of some steps is being done. */
export interface StepBar extends Disposable {
  update(step: { readonly done: number; readonly of: number; readonly doing: string }): void;
}

/** A bar of steps on a terminal, with what is being done behind it; elsewhere nothing. Disposing of it wipes it off. */
export function createStepBar(stream: CliStream): StepBar {
  let bar: SingleBar | null = null;
  return {
    update: ({ done, of, doing }) => {
      if (stream.isTTY !== true) return;
      bar ??= beginBar(stream, { format: '{bar} {value}/{total} {doing}', total: of });
      bar.update(done, { doing });
    },
    [Symbol.dispose]: () => bar?.stop(),
  };
}

function beginBar(
  stream: CliStream,
  { format, total }: { readonly format: string; readonly total: number },
): SingleBar {
  const bar = new SingleBar({
    stream,
    format,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 40,
    hideCursor: true,
    clearOnComplete: true,
    // Ctrl-C is for the command itself: it wipes the bar off by disposing of it.
    gracefulExit: false,
    fps: 10,
  });
  bar.start(total, 0, { doing: '' });
  return bar;
}
