import { join } from 'node:path';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import type { Browser, Page } from 'playwright-core';
import { type Served, serve } from '../../packages/gateway/test/served.ts';
import type { CheckList } from './check-list.ts';
import { hostileText } from './hostile-text.ts';
import { accessFaults, checkWidth, screens, type WatchedPage, watchPage } from './watched-page.ts';

const key = 'agent:main:main';

/** Holds the answers to messages that ask for it, until it is told to let them go. */
interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Looks at the inspector of a gateway with sessions in it. */
export async function checkInspector(browser: Browser, { check }: CheckList, shots: string | null): Promise<void> {
  const gate = makeGate();
  await using served = await serve({
    plugins: [ttlPruning({ mode: 'auto' }), summaryCompaction()],
    budget: { inputTokens: 8_000 },
    script: async ({ prompt }) => {
      if (JSON.stringify(prompt.messages.at(-1)).includes('wait for it')) await gate.opened;
      return `An answer, as long as answers are. ${'It has words. '.repeat(60)}`;
    },
  });
  for (let turn = 1; turn <= 14; turn += 1) await served.say(key, `Question ${turn}: ${'why is that so? '.repeat(60)}`);
  await served.say('agent:main:telegram:direct:ada', hostileText);
  await check('nothing is shown without a token, nor with a wrong one', () => refuses(browser, served));
  for (const screen of screens) {
    await check(`the inspector fits, and keeps nobody out (${screen.name})`, async () => {
      const opened = await watchPage(browser, entranceOf(served), { screen });
      const { page, faults, end } = opened;
      await page.getByRole('link', { name: key }).waitFor();
      await look(opened, { screen, shot: shots === null ? null : join(shots, `list, ${screen.name}.png`) });
      await openSession(page, key);
      await look(opened, { screen, shot: shots === null ? null : join(shots, `session, ${screen.name}.png`) });
      if (page.url().includes(served.tokens.owner)) faults.push('leaves the token in the address');
      await end();
    });
  }
  await check('a session is found, and shows why a message is missing', () => finds(browser, served));
  await check('a compaction is planned, committed and taken back', () => compacts(browser, served));
  await check('a turn is seen while it runs, and its request when it is made', () => seesTurn(browser, served, gate));
  await check('what was said does nothing to the page of a gateway', () => harmless(browser, served));
  await check('a viewer is offered nothing that changes a session', () => looksOnly(browser, served));
}

function makeGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

function entranceOf({ url, tokens }: Served, role: 'owner' | 'viewer' = 'owner'): string {
  return `${url}/#token=${tokens[role]}`;
}

async function look(
  { page, faults }: WatchedPage,
  { screen, shot }: { readonly screen: (typeof screens)[number]; readonly shot: string | null },
): Promise<void> {
  await checkWidth(page, screen);
  faults.push(...(await accessFaults(page)));
  if (shot !== null) await page.screenshot({ path: shot, fullPage: true });
}

async function openSession(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name }).first().click();
  await page.locator('.list .row').first().waitFor();
}

async function refuses(browser: Browser, { url }: Served): Promise<void> {
  const { page, faults, end } = await watchPage(browser, url, { answers: [401] });
  await page.getByLabel('Token').fill('vrv_wrong');
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('alert').waitFor();
  if ((await page.getByRole('link', { name: key }).count()) > 0) faults.push('shows a session');
  await end();
}

async function finds(browser: Browser, served: Served): Promise<void> {
  const { page, faults, end } = await watchPage(browser, entranceOf(served));
  await page.getByRole('link', { name: key }).waitFor();
  await page.getByLabel('Find').fill('nobody has such a key');
  await page.getByText('No session is like that').waitFor();
  await page.getByLabel('Find').fill('agent:main:main');
  await openSession(page, key);
  await page.getByRole('slider', { name: 'Requests' }).press('End');
  await page.getByLabel('Verdict').selectOption('summarised');
  await page.locator('.list .row').first().click();
  await page.locator('.details pre').nth(1).waitFor();
  const said = (await page.locator('.details').textContent()) ?? '';
  if (!said.includes('the summary of a compaction stands for it')) faults.push(`says "${said.slice(0, 200)}"`);
  if (!said.includes('Question 1')) faults.push('does not show what was said');
  await end();
}

async function compacts(browser: Browser, served: Served): Promise<void> {
  const { page, faults, end } = await watchPage(browser, entranceOf(served));
  await openSession(page, key);
  await page.getByRole('tab', { name: 'Compactions' }).click();
  const before = await page.locator('.compactions > li').count();
  await page.getByRole('button', { name: 'Plan a compaction' }).click();
  await page.getByText('Nothing has been changed.').waitFor();
  await page.getByRole('button', { name: 'Commit' }).click();
  await page.getByText(/^Compacted: [\d,]+ → [\d,]+ tokens/).waitFor();
  await page.locator('.compactions > li').nth(before).waitFor();
  await page
    .getByRole('button', { name: /^Undo compaction/ })
    .last()
    .click();
  await page.getByText('was taken back: what it covered is sent again').waitFor();
  await page.locator('.compactions > li').nth(before).getByText('It was taken back.').waitFor();
  if ((await page.locator('.compactions > li').count()) !== before + 1) faults.push('lost a compaction');
  await end();
}

async function seesTurn(browser: Browser, served: Served, gate: Gate): Promise<void> {
  const { page, end } = await watchPage(browser, entranceOf(served));
  await openSession(page, key);
  const picture = page.getByRole('slider', { name: 'Requests' });
  const count = async (): Promise<number> => Number(await picture.getAttribute('aria-valuemax'));
  await page
    .getByRole('status')
    .filter({ hasText: /^live$/ })
    .waitFor();
  const before = await count();
  const said = served.say(key, 'Please wait for it.');
  await page.getByRole('status').filter({ hasText: 'A turn runs' }).waitFor();
  gate.open();
  await said;
  await page.locator(`[role=slider][aria-valuemax="${before + 1}"]`).waitFor();
  await page.locator(`[role=slider][aria-valuenow="${before + 1}"]`).waitFor();
  await end();
}

async function harmless(browser: Browser, served: Served): Promise<void> {
  const { page, faults, end } = await watchPage(browser, entranceOf(served));
  await openSession(page, 'ada');
  await page.locator('.list .row').first().click();
  await page.locator('.details pre').first().waitFor();
  if (await page.evaluate<boolean>('"stolen" in globalThis')) faults.push('ran what was said');
  if ((await page.locator('.details img, .list img').count()) > 0) faults.push('made markup of what was said');
  if (!((await page.locator('.details').textContent()) ?? '').includes('⟨U+202E⟩')) faults.push('hides a direction');
  await end();
}

async function looksOnly(browser: Browser, served: Served): Promise<void> {
  const { page, faults, end } = await watchPage(browser, entranceOf(served, 'viewer'));
  await openSession(page, key);
  await page.getByRole('tab', { name: 'Compactions' }).click();
  await page.getByRole('heading', { name: 'Policies' }).waitFor();
  const offers = page.getByRole('button', { name: /^(Plan|Commit|Undo)/ });
  if ((await offers.count()) > 0) faults.push('offers to change a session');
  if ((await page.getByLabel('Sending in this session').count()) > 0) faults.push('offers to change what is sent');
  await end();
}
