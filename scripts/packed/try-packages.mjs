import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, shortened } from '../run-command.mjs';
import { npmEnvironment } from './npm-environment.mjs';
import { packAll } from './public-packages.mjs';
import { servePackages } from './serve-packages.mjs';

/**
 * What is done with packed packages.
 *
 * @typedef {{
 *   readonly folder: string,
 *   step(words: readonly string[], how: { readonly cwd: string, readonly fails?: boolean }): Promise<boolean>,
 *   count(isAsExpected: boolean, text: string): void,
 * }} Trial
 * `folder` is new, and is removed. `step` runs a program with the packed packages as npm's, prints what it said and took,
 * and resolves to whether it ended as expected: with 0, or with another code if it `fails`. `count` counts what else is seen.
 */

/**
 * Does something with the packages as they are packed: those of this repository come from their tarballs, through a
 * registry on the loopback interface, all others from npm's, into a cache that is empty at first. Prints, last,
 * `N passed, N failed`.
 *
 * @param {string} name  Of the folder.
 * @param {{ readonly keep?: boolean, work(trial: Trial): Promise<void> }} what  `keep` leaves the folder.
 * @returns {Promise<0 | 1>} the exit code
 */
export async function tryPackages(name, { keep = false, work }) {
  const folder = mkdtempSync(join(tmpdir(), `varve-${name}-`));
  const counts = { passed: 0, failed: 0 };
  /** @param {boolean} isAsExpected @param {string} text */
  const count = (isAsExpected, text) => {
    counts[isAsExpected ? 'passed' : 'failed'] += 1;
    console.log(`${text}${isAsExpected ? '' : ', which is wrong'}`);
  };
  const begun = Date.now();
  try {
    const packed = packAll(join(folder, 'tarballs'));
    console.log(`packed ${packed.length} packages in ${seconds(begun)}`);
    const { url, close } = await servePackages(packed);
    const env = npmEnvironment({ url, cache: join(folder, 'cache') });
    try {
      await work({
        folder,
        count,
        step: async (words, { cwd, fails = false }) => {
          const started = Date.now();
          const { code, text } = await runCommand(words, { cwd, env });
          const isAsExpected = (code !== 0) === fails;
          console.log(`\n$ ${words.join(' ')}\n${shortened(text)}`);
          count(isAsExpected, `-> exit code ${code}, ${seconds(started)}`);
          return isAsExpected;
        },
      });
    } finally {
      close();
    }
  } finally {
    if (keep) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  console.log(`all of it took ${seconds(begun)}`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 ? 0 : 1;
}

/** @param {number} begun */
function seconds(begun) {
  return `${((Date.now() - begun) / 1_000).toFixed(1)} s`;
}
