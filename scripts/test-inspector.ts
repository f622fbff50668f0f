// Looks at the inspector in a real Chromium: pages of `varve replay --report`, and the page of a
// gateway.
//
//     pnpm build && pnpm test:inspector        --shots DIR keeps what it looked like
//
// Last line: `N passed, N failed, N skipped`. Without a browser, all is skipped.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createCheckList } from '../test/browser/check-list.ts';
import { checkInspector } from '../test/browser/live-checks.ts';
import { checkReports } from '../test/browser/report-checks.ts';
import { launchBrowser } from './launch-browser.ts';

const { values } = parseArgs({ options: { shots: { type: 'string' } } });
const shots = values.shots === undefined ? null : resolve(values.shots);
if (shots !== null) mkdirSync(shots, { recursive: true });

const list = createCheckList();
const browser = await launchBrowser();
if (browser === null) list.skip('all of it', 'it needs a browser');
else {
  try {
    await checkReports(browser, list, shots);
    await checkInspector(browser, list, shots);
  } finally {
    await browser.close();
  }
}
console.log(list.line());
process.exitCode = list.failed() === 0 ? 0 : 1;
