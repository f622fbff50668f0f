import { readFile } from 'node:fs/promises';
import { VarveError } from '@varve/core';

/** The page of the inspector: one script and one sheet of styles. */
export interface InspectorFiles {
  readonly script: string;
  readonly style: string;
}

/**
 * Reads the page of the inspector as it was built.
 *
 * @throws VARVE_STORE_IO  when it is not there: sources that were not built.
 */
export async function readInspectorFiles(): Promise<InspectorFiles> {
  const read = (name: string): Promise<string> =>
    readFile(new URL(`../../dist/inspector-page/${name}`, import.meta.url), 'utf8');
  try {
    const [script, style] = await Promise.all([read('inspector.js'), read('inspector.css')]);
    return { script, style };
  } catch (cause) {
    throw new VarveError('VARVE_STORE_IO', 'The page of the inspector is not there.', {
      fix: 'In a clone, run pnpm build; an installed package has it.',
      cause,
    });
  }
}
