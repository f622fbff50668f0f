import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmEnvironment } from '../../scripts/packed/npm-environment.mjs';

/** Versions whose stores are imported: the last with a file a session, and one with a database an agent. */
export const openClawVersions = ['2026.3.13', '2026.9.6'] as const;

/** A version of OpenClaw, ready to be run. */
export interface InstalledOpenClaw {
  readonly version: string;
  /** The Node that runs it, and that reads its database. */
  readonly node: string;
  readonly entry: string;
}

const nodeVersion = '24.22.3';

/** Exports that a messenger's client asks for when it is loaded; nothing of it is run. */
const stubs = {
  'package.json': '{"name":"libsignal","version":"2.0.1","type":"module","main":"index.js"}',
  'index.js':
    'export class SessionBuilder {}\nexport class SessionCipher {}\nexport class SessionRecord {}\nexport class ProtocolAddress {}\n',
  'src/curve.js':
    'export const generateKeyPair = 0, calculateSignature = 0, verifySignature = 0, calculateAgreement = 0;\n',
  'src/crypto.js': 'export const deriveSecrets = 0, decrypt = 0, encrypt = 0, calculateMAC = 0;\n',
};

/**
 * Installs a version of OpenClaw with the Node that it needs from npm into a folder; what is there already is used. Gives
 * the reason where that cannot be done.
 */
export async function installOpenClaw(
  folder: string,
  version: string,
): Promise<InstalledOpenClaw | { readonly reason: string }> {
  const name = `node-${process.platform}-${process.arch}`;
  const installed: InstalledOpenClaw = {
    version,
    node: join(folder, 'node', 'node_modules', name, 'bin', 'node'),
    entry: join(folder, version, 'node_modules', 'openclaw', 'openclaw.mjs'),
  };
  if (!existsSync(installed.node)) {
    const failed = await installFromNpm(join(folder, 'node'), { dependencies: { [name]: nodeVersion } });
    if (failed !== null) return { reason: `Node ${nodeVersion} cannot be installed: ${failed}` };
  }
  if (!existsSync(installed.entry)) {
    const place = join(folder, version);
    // Comes from a place that is no registry.
    for (const [file, text] of Object.entries(stubs)) write(join(place, 'libsignal', file), text);
    const failed = await installFromNpm(place, {
      dependencies: { openclaw: version },
      overrides: { libsignal: 'file:./libsignal' },
    });
    if (failed !== null) return { reason: `openclaw@${version} cannot be installed: ${failed}` };
  }
  return installed;
}

function write(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

/** Installs what a manifest asks for into a folder; gives the last line of what went wrong. */
export function installFromNpm(folder: string, manifest: object): Promise<string | null> {
  write(join(folder, 'package.json'), JSON.stringify({ name: 'installed', private: true, ...manifest }));
  // For a Node of its own: what pnpm hands down to its scripts (the engines that fit this Node) is not for it.
  const env = npmEnvironment();
  const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, env });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(String(chunk)));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) =>
      resolve(code === 0 ? null : (said.join('').trim().split('\n').at(-1) ?? `exit code ${code}`)),
    );
  });
}
