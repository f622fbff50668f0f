// Runs the packages of test/third-party as their authors would: outside this repository, on our packages as they are
// packed. Each is installed, tested with node:test, and checked with `varve plugin check`.
//
//     pnpm test:third-party
//
// Other packages come from npm's registry, so it needs a network. Last line: `N passed, N failed`.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { tryPackages } from './packed/try-packages.mjs';

/** The packages, and whether the kit is to find a fault in them. */
const packages = [
  { name: 'pii-redactor', fails: false },
  { name: 'last-turns', fails: false },
  { name: 'forgetful-store', fails: true },
];

process.exitCode = await tryPackages('third-party', {
  work: async ({ folder, step }) => {
    for (const { name, fails } of packages) {
      const cwd = join(folder, name);
      cpSync(join('test/third-party', name), cwd, { recursive: true });
      console.log(`\n${name}:`);
      await step(['npm', 'install', '--no-audit', '--no-fund'], { cwd });
      await step(['npm', 'test'], { cwd, fails });
      await step(['npm', 'run', 'check'], { cwd, fails });
    }
  },
});
