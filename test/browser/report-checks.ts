import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { runCli } from '@varve/cli';
import { reportPage, type SessionReport } from '@varve/gateway/inspector';
import type { Browser, Page } from 'playwright-core';
import type { CheckList } from './check-list.ts';
import { hostileText } from './hostile-text.ts';
import { accessFaults, checkWidth, screens, watchPage } from './watched-page.ts';

const transcript = join(import.meta.dirname, '../../examples/transcripts/varve-session.jsonl');

/** Looks at pages of `varve replay --report`, each a file that stands alone. */
export async function checkReports(browser: Browser, { check }: CheckList, shots: string | null): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-report-'));
  const urlOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  try {
    await replay(['replay', transcript, '--budget', '32k', '--report', join(folder, 'example.html')]);
    for (const screen of screens) {
      await check(`a report fits, and keeps nobody out (${screen.name})`, async () => {
        const { page, faults, end } = await watchPage(browser, urlOf('example.html'), { screen });
        await page.locator('.list .row').first().click();
        await page.locator('pre').first().waitFor();
        await checkWidth(page, screen);
        faults.push(...(await accessFaults(page)));
        if (shots !== null) await page.screenshot({ path: join(shots, `report, ${screen.name}.png`), fullPage: true });
        await end();
      });
    }
    await check('a report shows why a message is missing, before and after', () =>
      explains(browser, urlOf('example.html')),
    );
    await check('a report is used with keys alone', () => usesKeys(browser, urlOf('example.html')));
    await check('a report compares two requests', () => compares(browser, urlOf('example.html')));
    await writeFile(join(folder, 'hostile.html'), await reportPage(hostileReport()));
    await check('what was said does nothing to the page', () => harmless(browser, urlOf('hostile.html')));
    await writeFile(join(folder, 'large.html'), await reportPage(largeReport(100_000)));
    await check('a report of 100,000 messages holds few of them on the page', () =>
      staysSmall(browser, urlOf('large.html')),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function replay(argv: readonly string[]): Promise<void> {
  const nowhere = (): Writable & { isTTY: boolean } =>
    Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { isTTY: false });
  const stdin = Object.assign(Readable.from([]), { isTTY: false });
  const code = await runCli(argv, { stdin, stdout: nowhere(), stderr: nowhere(), env: {} });
  if (code !== 0) throw new Error(`varve ${argv.join(' ')} ends with ${code}`);
}

async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? '';
}

async function explains(browser: Browser, url: string): Promise<void> {
  const { page, faults, end } = await watchPage(browser, url);
  for (const [kind, words] of [
    ['summarised', 'the summary of a compaction stands for it'],
    ['cleared', 'Its content was cleared'],
    ['edited', 'another text in its place'],
  ] as const) {
    const option = page.locator(`option[value="${kind}"]`);
    if ((await option.count()) === 0) continue;
    await page.getByLabel('Verdict').selectOption(kind);
    await page.locator('.list .row').first().click();
    await page.locator('.details pre').nth(1).waitFor();
    const said = await textOf(page, '.details');
    for (const wanted of [words, 'After:', 'Before: what was said']) {
      if (!said.includes(wanted)) faults.push(`does not say "${wanted}" of what was ${kind}`);
    }
  }
  await end();
}

async function usesKeys(browser: Browser, url: string): Promise<void> {
  const { page, faults, end } = await watchPage(browser, url);
  const picture = page.getByRole('slider', { name: 'Requests' });
  const now = async (): Promise<number> => Number(await picture.getAttribute('aria-valuenow'));
  await picture.focus();
  await page.keyboard.press('Home');
  if ((await now()) !== 1) faults.push('Home does not lead to the first request');
  await page.keyboard.press('ArrowRight');
  if ((await now()) !== 2) faults.push('the right arrow does not lead to the next request');
  await page.keyboard.press('ArrowUp');
  const marked = (await picture.getAttribute('aria-valuetext')) ?? '';
  if (!/compaction|pruned/.test(marked)) faults.push(`the up arrow leads to "${marked}"`);
  await page.keyboard.press('End');
  const list = page.getByRole('listbox');
  await list.focus();
  await page.keyboard.press('ArrowDown');
  await page.locator('[role=option][aria-selected=true]').waitFor();
  await page.getByRole('tab', { name: 'Messages' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tabpanel', { name: 'What changed' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tabpanel', { name: 'Compactions' }).locator('summary').first().click();
  await page.getByText('[Summary of entries').first().waitFor();
  await end();
}

async function compares(browser: Browser, url: string): Promise<void> {
  const { page, faults, end } = await watchPage(browser, url);
  await page.getByRole('tab', { name: 'What changed' }).click();
  await page.getByLabel(/^Compare request/).fill('1');
  await page.getByRole('listbox', { name: 'Messages with another verdict' }).locator('.row').first().waitFor();
  if (!/First changed byte: [\d,]+/.test(await textOf(page, '.first-change')))
    faults.push('names no first changed byte');
  await end();
}

async function harmless(browser: Browser, url: string): Promise<void> {
  const { page, faults, end } = await watchPage(browser, url);
  for (const place of [0, 1, 2]) {
    await page.locator('.list .row').nth(place).click();
    await page.locator('.details pre').first().waitFor();
  }
  if (await page.evaluate<boolean>('"stolen" in globalThis')) faults.push('ran what was said');
  if ((await page.locator('.details img, .list img, .details b').count()) > 0)
    faults.push('made markup of what was said');
  const shown = await page.evaluate<string>('document.body.textContent');
  const body = shown.slice(shown.indexOf('Varve'));
  if (!body.includes('⟨U+202E⟩')) faults.push('hides what turns the direction');
  const held = await page.evaluate<number>('document.querySelector(".details").textContent.length');
  if (held > 10_000) faults.push(`puts ${held} characters on the page at once`);
  await page.getByRole('button', { name: /^Show more/ }).click();
  await end();
}

async function staysSmall(browser: Browser, url: string): Promise<void> {
  const { page, faults, end } = await watchPage(browser, url);
  const list = page.getByRole('listbox');
  await list.focus();
  await page.keyboard.press('End');
  await page.locator('[role=option][aria-posinset="100000"]').waitFor();
  const rows = await page.locator('.list .row').count();
  if (rows > 100) faults.push(`holds ${rows} rows`);
  await page.getByLabel('Find').fill('number 77777');
  await page.locator('[role=option][aria-setsize="1"]').waitFor();
  await end();
}

/** A report in which each text wants to be more than a text. */
function hostileReport(): SessionReport {
  return reportOf(
    [hostileText, `\u202Egnp.exe ${hostileText}`, 'x'.repeat(1_000_000)],
    '<img src=x onerror="stolen = 1">',
  );
}

function largeReport(count: number): SessionReport {
  return reportOf(
    Array.from({ length: count }, (_, index) => `message number ${index + 1}`),
    'large',
  );
}

function reportOf(texts: readonly string[], title: string): SessionReport {
  const layers = { system: 0, summary: 0, history: 900, notes: 0, live: 100, volatile: 0 };
  const messages = texts.map((text, index) => ({ seq: index + 1, role: 'user', tokens: 10, text }));
  const request = {
    seq: texts.length + 1,
    at: 0,
    model: title,
    tokens: 1_000,
    budget: 2_000,
    layers,
    marks: [],
    error: null,
  };
  const rest = { actions: [title], firstChangedByte: null, cache: null };
  return {
    title,
    facts: [{ name: title, value: title }],
    problems: [title],
    conversations: [
      {
        title,
        requests: [{ number: 1, ...request, ...rest }],
        changes: [[{ seq: 1, toSeq: texts.length, verdict: 'kept', rule: title, by: title }]],
        messages,
        edits: [],
        compactions: [],
      },
    ],
  };
}
