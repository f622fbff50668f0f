import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installFromNpm } from '../openclaw-import/install-openclaw.ts';

/** A version of pi, ready to be run. */
export interface InstalledPi {
  readonly name: string;
  readonly version: string;
  /** The Node that runs it. */
  readonly node: string;
  readonly entry: string;
  /** Whether it says when it is ready for the next prompt. */
  readonly settles: boolean;
}

/** The versions that are tried: the last that runs on the oldest Node, and a newer one under its newer name. */
export const piVersions = [
  { name: '@mariozechner/pi-coding-agent', version: '0.73.1', ownNode: false, settles: false },
  { name: '@earendil-works/pi-coding-agent', version: '1.6.0', ownNode: true, settles: true },
] as const;

const nodeVersion = '24.22.3';

/** Installs a version of pi from npm into a folder; what is there already is used. Gives the reason where that cannot be done. */
export async function installPi(
  folder: string,
  { name, version, ownNode, settles }: (typeof piVersions)[number],
): Promise<InstalledPi | { readonly reason: string }> {
  const nodeName = `node-${process.platform}-${process.arch}`;
  const node = ownNode ? join(folder, 'node', 'node_modules', nodeName, 'bin', 'node') : process.execPath;
  const place = join(folder, `pi-${version}`);
  const entry = join(place, 'node_modules', name, 'dist', 'cli.js');
  if (!existsSync(node)) {
    const failed = await installFromNpm(join(folder, 'node'), { dependencies: { [nodeName]: nodeVersion } });
    if (failed !== null) return { reason: `Node ${nodeVersion} cannot be installed: ${failed}` };
  }
  if (!existsSync(entry)) {
    const failed = await installFromNpm(place, { dependencies: { [name]: version } });
    if (failed !== null) return { reason: `${name}@${version} cannot be installed: ${failed}` };
  }
  return { name, version, node, entry, settles };
}
