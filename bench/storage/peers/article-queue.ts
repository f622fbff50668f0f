import { appendFile } from 'node:fs/promises';
import type { LineWriter } from '../limits/group-commit.ts';

/**
 * How articles on agents write transcripts: a chain of promises, and `appendFile` by path for each line.
 *
 * @param options.isDurable  With `flush: true`, which syncs the file before it resolves.
 */
export function createArticleQueue(path: string, { isDurable }: { readonly isDurable: boolean }): LineWriter {
  let queue: Promise<void> = Promise.resolve();
  return {
    append: (value) => {
      queue = queue.then(() => appendFile(path, `${JSON.stringify(value)}\n`, { flush: isDurable }));
      return queue;
    },
    close: () => queue,
  };
}
