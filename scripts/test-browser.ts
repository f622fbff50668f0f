// Runs the tests of @varve/core in a real Chromium: once as they are, once with @rspack/lite-tapable under a content
// security policy that forbids code made out of strings.
//
//     pnpm test:browser            VARVE_BROWSER=/path/to/chromium pnpm test:browser for another one
//
// Without a browser it says so and runs the same bundles in a context that has nothing of Node. Last line:
// `N passed, N failed, N skipped`.
import type { Browser } from 'playwright-core';
import { runInBareContext } from '../test/environments/bare-context.ts';
import { type Bundle, bundleProduct, bundleTests, sizesOf } from '../test/environments/bundle-core.ts';
import type { PageReport } from '../test/environments/page-report.ts';
import { launchBrowser } from './launch-browser.ts';

/** One way to run the tests. */
interface Run {
  readonly title: string;
  readonly tapable: 'tapable' | '@rspack/lite-tapable';
  readonly codeGeneration: boolean;
}

const runs: readonly Run[] = [
  { title: 'tapable', tapable: 'tapable', codeGeneration: true },
  { title: 'lite-tapable, no code out of strings', tapable: '@rspack/lite-tapable', codeGeneration: false },
];
const origin = 'http://varve.test';
const seed = Number(process.env['VARVE_SEED'] ?? '20260302');

process.exitCode = await main();

async function main(): Promise<number> {
  console.log(sizeLine(await bundleProduct({ minify: true })));
  const browser = await launchBrowser();
  console.log(browser === null ? 'The tests run in a bare context instead.' : `Chromium ${browser.version()}`);
  const total = { pass: 0, fail: 0, skip: 0 };
  try {
    for (const run of runs) {
      const bundle = await bundleTests(run);
      const report = await (browser === null ? runBare(bundle, run) : runInPage(browser, { bundle, run }));
      const counts = { pass: 0, fail: 0, skip: bundle.leftOut.length };
      for (const { file, why } of bundle.leftOut) console.log(`skipped: ${file}: ${why}`);
      for (const { file, name, state, why } of report.tests) {
        counts[state] += 1;
        if (state !== 'pass') console.log(`${state === 'fail' ? 'failed' : 'skipped'}: ${file} > ${name}: ${why}`);
      }
      console.log(`${run.title}: ${lineOf(counts)}`);
      for (const state of ['pass', 'fail', 'skip'] as const) total[state] += counts[state];
    }
  } finally {
    await browser?.close();
  }
  console.log(lineOf(total));
  return total.fail > 0 || total.pass === 0 ? 1 : 0;
}

function sizeLine(bundle: Bundle): string {
  const { bytes, gzip } = sizesOf(bundle);
  const kB = (size: number): string => `${(size / 1000).toFixed(1)} kB`;
  return `@varve/core with what it needs: ${kB(bytes)} minified, ${kB(gzip)} as gzip, in ${bundle.modules.size} modules`;
}

async function runBare({ code }: Bundle, { codeGeneration }: Run): Promise<PageReport> {
  return runInBareContext(code, { codeGeneration, seed });
}

/**
 * Serves the bundle to a page of its own, without any network. The page starts the tests itself: its policy does not
 * hold for what is evaluated from outside.
 */
async function runInPage(
  browser: Browser,
  { bundle, run }: { readonly bundle: Bundle; readonly run: Run },
): Promise<PageReport> {
  const page = await browser.newPage();
  const policy = `default-src 'none'; script-src 'self'${run.codeGeneration ? " 'unsafe-eval'" : ''}`;
  const files: Readonly<Record<string, string>> = {
    '/': '<!doctype html><title>core</title><script src="/core-tests.js"></script><script src="/start.js"></script>',
    '/core-tests.js': bundle.code,
    '/start.js': `makesCode = (() => { try { return new Function('return true')(); } catch { return false; } })();
      report = runCoreTests({ seed: ${seed} });`,
  };
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({
      contentType: `text/${pathname.endsWith('.js') ? 'javascript' : 'html'}; charset=utf-8`,
      headers: { 'content-security-policy': policy },
      body: files[pathname] ?? '',
    });
  });
  page.on('pageerror', (error) => console.log(`error in the page: ${error.message}`));
  await page.goto(`${origin}/`);
  const { makesCode, report } = await page.evaluate(async () => {
    const started = globalThis as unknown as { readonly makesCode: boolean; readonly report: Promise<PageReport> };
    return { makesCode: started.makesCode, report: await started.report };
  });
  await page.close();
  if (makesCode !== run.codeGeneration)
    throw new Error(`Code out of strings: ${makesCode}, against the page's policy.`);
  return report;
}

function lineOf({ pass, fail, skip }: { readonly pass: number; readonly fail: number; readonly skip: number }): string {
  return `${pass} passed, ${fail} failed, ${skip} skipped`;
}
