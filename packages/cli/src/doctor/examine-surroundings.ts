import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { createHost } from '@varve/core';
import type { StoreFinding } from '@varve/stores/jsonl';
import { loadPlugins } from '../replay/plugin-catalogue.ts';
import { codeOf } from '../terminal/make-folder.ts';
import { saidBy } from './examine-sessions.ts';

/** Oldest Node that runs Varve: major and minor. */
const oldestNode = [20, 19] as const;

/** Looks at Node's version; `version` as `process.versions.node` has it. */
export function examineNode(version: string): readonly StoreFinding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return [];
  return [
    {
      level: 'error',
      code: 'node-version',
      file: process.execPath,
      text: `This is Node ${version}; Varve needs ${oldestNode.join('.')} or newer.`,
      fix: 'Install a newer Node.',
    },
  ];
}

/** Starts the plugins with their options, on a store of their own in memory, and stops them again. */
export async function examinePlugins(names: readonly string[]): Promise<readonly StoreFinding[]> {
  try {
    const host = await createHost({ plugins: await loadPlugins(names, { cacheTtl: '5m' }) });
    await host.close();
    return [];
  } catch (error) {
    return [{ level: 'error', code: 'plugins-refused', file: '--plugins', ...saidBy(error) }];
  }
}

/** What the folder of the store is: `null` when there is none yet, which is no error. */
export async function examineRoot(root: string): Promise<readonly StoreFinding[] | null> {
  const finding = (text: string, fix: string): readonly StoreFinding[] => {
    return [{ level: 'error', code: 'root-unusable', file: root, text, fix }];
  };
  try {
    const found = await stat(root);
    if (!found.isDirectory()) return finding(`"${root}" is no folder.`, 'Name the folder of the store with --root.');
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    return finding(`"${root}" cannot be read and written to: ${code}.`, 'Check the permissions of the folder.');
  }
}
