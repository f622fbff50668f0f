// Opens the built documentation in a real Chromium: desktop and phone, light and dark. Nothing may be asked of another
// host, nothing may fail, no page may be wider than the screen, and the playground must do what its page says.
//
//     pnpm docs:build && pnpm test:site
//
// Last line: `N passed, N failed, N skipped`. Without a browser, all is skipped.
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './launch-browser.ts';

const dist = join(import.meta.dirname, '../docs/.vitepress/dist');
const origin = 'http://varve.test';
const pages = [
  '/',
  '/start',
  '/playground',
  '/guides/write-a-plugin',
  '/reference/hooks/shape',
  '/reference/options',
  '/explanation/context-quality',
];
const screens = [
  { name: 'desktop, light', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'phone, dark', width: 390, height: 844, colorScheme: 'dark' },
] as const;
const contentTypes: Readonly<Record<string, string>> = {
  ...{
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
  },
  '.woff2': 'font/woff2',
};
const counts = { passed: 0, failed: 0, skipped: 0 };

process.exitCode = await main();

async function main(): Promise<number> {
  if (!existsSync(join(dist, 'index.html'))) throw new Error('There is no built site: run pnpm docs:build first.');
  const browser = await launchBrowser();
  if (browser === null) {
    console.log('skipped: all of it needs a browser');
    counts.skipped += screens.length * pages.length + 1;
  } else {
    try {
      for (const screen of screens)
        for (const path of pages) await check(`${path} (${screen.name})`, () => look(browser, path, screen));
      await check('the playground answers its sliders and boxes', () => play(browser));
    } finally {
      await browser.close();
    }
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0 ? 0 : 1;
}

async function check(what: string, prove: () => Promise<void>): Promise<void> {
  try {
    await prove();
    counts.passed += 1;
    console.log(`passed: ${what}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`failed: ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A page with nothing but the built site behind it, and what went wrong in it so far. */
async function open(
  browser: Browser,
  path: string,
  screen: (typeof screens)[number],
): Promise<{ page: Page; faults: string[] }> {
  const { width, height, colorScheme } = screen;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`said ${message.text()}`);
  });
  await page.route('**/*', async (route) => {
    const url = new URL(route.request().url());
    const file = fileOf(url.pathname);
    if (url.origin !== origin) faults.push(`asked for ${url.href}`);
    if (url.origin !== origin || file === null) return route.fulfill({ status: 404, body: 'There is no such page.' });
    await route.fulfill({
      contentType: contentTypes[extname(file)] ?? 'application/octet-stream',
      body: readFileSync(file),
    });
  });
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  return { page, faults };
}

function fileOf(pathname: string): string | null {
  const name = pathname.endsWith('/')
    ? `${pathname}index.html`
    : extname(pathname) === ''
      ? `${pathname}.html`
      : pathname;
  const file = join(dist, decodeURIComponent(name));
  return file.startsWith(dist) && existsSync(file) ? file : null;
}

async function look(browser: Browser, path: string, screen: (typeof screens)[number]): Promise<void> {
  const { page, faults } = await open(browser, path, screen);
  const heading = await page.locator('h1').first().textContent();
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
  if ((heading ?? '').trim() === '') faults.push('has no heading');
  if (wide > screen.width) faults.push(`is ${wide} pixels wide`);
  await page.close();
  if (faults.length > 0) throw new Error(faults.join('; '));
}

async function play(browser: Browser): Promise<void> {
  const { page, faults } = await open(browser, '/playground', screens[0]);
  const isDone = async (): Promise<void> => {
    await page.locator('.playground svg').waitFor();
    await page.locator('.playground progress').waitFor({ state: 'detached' });
  };
  const columns = (): Promise<number> => page.locator('.playground svg rect').count();
  const textOf = async (part: string): Promise<string> =>
    (await page.locator(`.playground ${part}`).textContent()) ?? '';
  const shown = (): Promise<string> => textOf('.totals');
  page.setDefaultTimeout(120_000);
  await isDone();
  const [before, columnsBefore] = [await shown(), await columns()];
  if (columnsBefore < 124) faults.push(`shows ${columnsBefore} blocks for 124 requests`);
  await page.getByLabel('Budget in tokens').press('ArrowLeft');
  await isDone();
  if ((await shown()) === before) faults.push('says the same with another budget');
  for (const name of ['pruning', 'compaction', 'recall']) await page.getByLabel(name).uncheck();
  await isDone();
  if (!/(^|\D)0 *rebuilt/.test(await shown())) faults.push(`rebuilds without a plugin: ${await shown()}`);
  await page.getByLabel('Request', { exact: true }).press('Home');
  if (!(await textOf('.details')).includes('for 1 messages')) faults.push('does not show the first request');
  await page.close();
  if (faults.length > 0) throw new Error(faults.join('; '));
}
