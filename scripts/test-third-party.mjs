// Runs the packages of test/third-party as their authors would: outside this repository, on our packages as they are
// packed. Each is installed, tested with node:test, and checked with `varve plugin check`.
//
//     pnpm test:third-party
//
// Other packages come from npm's registry, so it needs a network. Last line: `N passed, N failed`.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmEnvironment, packAll, servePackages } from './packed-registry.mjs';
import { runCommand, shortened } from './run-command.mjs';

/** The packages, and whether the kit is to find a fault in them. */
const packages = [
  { name: 'pii-redactor', isSound: true },
  { name: 'last-turns', isSound: true },
  { name: 'forgetful-store', isSound: false },
];
const work = mkdtempSync(join(tmpdir(), 'varve-third-party-'));
const counts = { passed: 0, failed: 0 };
try {
  const registry = await servePackages(packAll(join(work, 'tarballs')));
  try {
    for (const one of packages) await tryOut(one, registry.url);
  } finally {
    registry.close();
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function tryOut({ name, isSound }, url) {
  const folder = join(work, name);
  cpSync(join('test/third-party', name), folder, { recursive: true });
  const env = npmEnvironment({ url, cache: join(work, 'cache') });
  const steps = [
    { words: ['npm', 'install', '--no-audit', '--no-fund'], isSound: true },
    { words: ['npm', 'test'], isSound },
    { words: ['npm', 'run', 'check'], isSound },
  ];
  for (const step of steps) {
    const { code, text } = await runCommand(step.words, { cwd: folder, env });
    const isAsExpected = (code === 0) === step.isSound;
    counts[isAsExpected ? 'passed' : 'failed'] += 1;
    console.log(
      `\n${name}$ ${step.words.join(' ')}\n${shortened(text)}\n-> exit code ${code}${isAsExpected ? '' : ', which is wrong'}`,
    );
  }
}
