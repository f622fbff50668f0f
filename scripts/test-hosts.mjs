// Runs Varve inside the hosts that it plugs into, as they come from npm, with a model on this machine:
//
//     pnpm test:hosts [--openclaw] [--only pi-1.6.0] [--in folder]
//
// pi in two versions, some 600 MB with the Node that the newer one needs; OpenClaw in two, with --openclaw, 1.4 GB and some
// minutes. What is installed stays in node_modules/.cache/hosts, or in the folder of --in, and is used again. Prints where a
// word made up for the run was found, which calls the host made, what holds, and, last, `N passed, N failed`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOpenClaw } from '../test/hosts/check-openclaw.ts';
import { checkPi } from '../test/hosts/check-pi.ts';
import { installPi, piVersions } from '../test/hosts/install-pi.ts';
import { installFromNpm, installOpenClaw, openClawVersions } from '../test/openclaw-import/install-openclaw.ts';
import { packAll } from './packed/public-packages.mjs';

process.exitCode = await main();

async function main() {
  const { values } = parseArgs({
    options: { openclaw: { type: 'boolean' }, only: { type: 'string' }, in: { type: 'string' } },
  });
  const root = join(import.meta.dirname, '..');
  const installs = resolve(values.in ?? join(root, 'node_modules', '.cache', 'hosts'));
  mkdirSync(installs, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'varve-hosts-'));
  const counts = { passed: 0, failed: 0 };
  /** @param {string} name */
  const isWanted = (name) => values.only === undefined || values.only === name;
  try {
    const packages = await installPacked(scratch);
    for (const version of piVersions.filter((one) => isWanted(`pi-${one.version}`))) {
      await tried(`${version.name} ${version.version}`, counts, async () => {
        const installed = await installPi(installs, version);
        if ('reason' in installed) throw new Error(installed.reason);
        const extension = join(packages, 'pi', 'dist', 'index.js');
        return checkPi(installed, { folder: join(scratch, `pi-${version.version}`), extension });
      });
    }
    const versions = values.openclaw === true ? openClawVersions.filter((one) => isWanted(`openclaw-${one}`)) : [];
    for (const version of versions) {
      await tried(`openclaw ${version}`, counts, async () => {
        const installed = await installOpenClaw(installs, version);
        if ('reason' in installed) throw new Error(installed.reason);
        const plugin = join(packages, 'openclaw');
        return checkOpenClaw(installed, { folder: join(scratch, `openclaw-${version}`), plugin });
      });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 ? 0 : 1;
}

/**
 * Prints what became of a host.
 *
 * @param {string} name
 * @param {{ passed: number, failed: number }} counts
 * @param {() => Promise<import('../test/hosts/host-row.ts').HostReport>} check
 */
async function tried(name, counts, check) {
  console.log(name);
  try {
    const { rows, lines } = await check();
    for (const line of lines) console.log(`  ${line}`);
    for (const { name: row, fault } of rows)
      console.log(fault === '' ? `  holds: ${row}` : `  FAILS: ${row}: ${fault}`);
    counts.failed += rows.filter(({ fault }) => fault !== '').length;
    counts.passed += rows.filter(({ fault }) => fault === '').length;
  } catch (error) {
    console.log(`  FAILS: ${error instanceof Error ? error.stack : String(error)}`);
    counts.failed += 1;
  }
}

/** Installs the packages as their users get them; gives the folder in which they lie. @param {string} scratch */
async function installPacked(scratch) {
  const packed = packAll(join(scratch, 'tarballs'), ['@varve/openclaw', '@varve/pi']);
  const dependencies = Object.fromEntries(packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
  const failed = await installFromNpm(join(scratch, 'varve'), { dependencies });
  if (failed !== null) throw new Error(`The packages cannot be installed: ${failed}`);
  return join(scratch, 'varve', 'node_modules', '@varve');
}
