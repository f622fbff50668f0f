import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { VarveError } from '@varve/core';
import { codeOf, makeFolder } from '../../terminal/make-folder.ts';
import { usage } from '../../terminal/parse-options.ts';
import type { Replay } from '../replay.ts';
import { openRoot } from '../temporary-root.ts';

/** A page that is written once a replay is done, and the folder in which its journals stay until then. */
export interface OpenReport extends AsyncDisposable {
  /** Folder for the journals. */
  readonly root: string;
  /** Writes the page, in the place of a file of that name. @throws VARVE_STORE_IO  when the disk refuses. */
  write(replay: Replay): Promise<void>;
}

/**
 * Gets ready to write a page: a name that cannot be written to is refused before the work is done.
 *
 * @param keptRoot  Where the user wants the journals to stay. @default a folder that is removed again
 * @throws VARVE_USAGE  when there is a folder of that name; VARVE_STORE_IO when its folder cannot be made.
 */
export async function openReport(file: string, keptRoot: string | undefined): Promise<OpenReport> {
  const path = resolve(file);
  const found = await stat(path).catch(() => null);
  if (file === '' || found?.isDirectory() === true) {
    throw usage(`"${file}" is a folder.`, 'Give the name of a file to --report, such as out.html.');
  }
  await makeFolder(dirname(path), { option: '--report' });
  const root = await openRoot(keptRoot);
  return {
    root: root.path,
    write: async (replay) => {
      // A page is made when one is asked for: no other replay needs what makes it.
      const [{ reportPage }, { collectReport }] = await Promise.all([
        import('@varve/gateway/inspector'),
        import('./collect-report.ts'),
      ]);
      await replaceFile(path, await reportPage(await collectReport(replay, { root: root.path })));
    },
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
  };
}

/** Nobody finds half a page. */
async function replaceFile(path: string, text: string): Promise<void> {
  const written = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(written, text, { mode: 0o600 });
    await rename(written, path);
  } catch (cause) {
    await rm(written, { force: true });
    throw new VarveError('VARVE_STORE_IO', `Cannot write "${path}": ${codeOf(cause)}.`, {
      fix: 'Check the permissions of the folder and the space on the disk, then run it again.',
      cause,
    });
  }
}
