// Installs OpenClaw from npm, lives with it for a while (two agents, tools, a compaction, a reset; the model is on this
// machine), imports what it has kept, and holds that against what was said:
//
//     pnpm test:openclaw-import [--version 2026.9.6] [--in folder]
//
// Two versions, one with a file a session and one with a database an agent: about 1.4 GB and five minutes. With --in, what
// is installed stays in that folder and is used again. Prints what became of each conversation and what holds, and, last,
// `N passed, N failed`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkImport } from '../test/openclaw-import/check-import.ts';
import { installOpenClaw, openClawVersions } from '../test/openclaw-import/install-openclaw.ts';
import { liveWithOpenClaw } from '../test/openclaw-import/live-with-openclaw.ts';

process.exitCode = await main();

async function main() {
  const { values } = parseArgs({ options: { version: { type: 'string' }, in: { type: 'string' } } });
  const scratch = mkdtempSync(join(tmpdir(), 'varve-openclaw-'));
  const installs = values.in === undefined ? join(scratch, 'installed') : resolve(values.in);
  mkdirSync(installs, { recursive: true });
  let [passed, failed, skipped] = [0, 0, 0];
  try {
    for (const version of values.version === undefined ? openClawVersions : [values.version]) {
      console.log(`openclaw ${version}: installing`);
      const installed = await installOpenClaw(installs, version);
      if ('reason' in installed) {
        console.log(`skipped: ${installed.reason}`);
        skipped += 1;
        continue;
      }
      const folder = join(scratch, version);
      const life = await liveWithOpenClaw(installed, { folder, onStep: (step) => console.log(`  said to ${step}`) });
      const { checks, lines } = await checkImport(installed, { life, root: join(folder, 'varve') });
      for (const line of lines) console.log(`  ${line.replaceAll(folder, '…')}`);
      for (const { name, fault } of checks)
        console.log(fault === '' ? `  holds: ${name}` : `  FAILS: ${name}: ${fault}`);
      failed += checks.filter(({ fault }) => fault !== '').length;
      passed += checks.filter(({ fault }) => fault === '').length;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
  console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
  return failed === 0 ? 0 : 1;
}
