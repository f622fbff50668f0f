import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';

/** How a page is looked at. */
export interface Screen {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

/** A desk and a phone, in light and in the dark. */
export const screens: readonly Screen[] = [
  { name: 'desktop, light', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'desktop, dark', width: 1280, height: 900, colorScheme: 'dark' },
  { name: 'phone, light', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone, dark', width: 390, height: 844, colorScheme: 'dark' },
];

/** A page, and what went wrong in it so far. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
  /** Closes it. @throws Error  with all that went wrong. */
  end(): Promise<void>;
}

/**
 * Opens a page that may ask its own place alone.
 *
 * @param options.answers  Statuses of answers that are no fault. @default those below 400
 */
export async function watchPage(
  browser: Browser,
  url: string,
  {
    screen = screens[0] as Screen,
    answers = [],
  }: { readonly screen?: Screen; readonly answers?: readonly number[] } = {},
): Promise<WatchedPage> {
  const { width, height, colorScheme } = screen;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, bypassCSP: false });
  const page = await context.newPage();
  const faults: string[] = [];
  const { protocol, origin } = new URL(url);
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`));
  page.on('console', (message) => {
    const isExpected = answers.some((status) => message.text().includes(`status of ${status}`));
    if (['error', 'warning'].includes(message.type()) && !isExpected) faults.push(`said ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = new URL(request.url());
    const isOwn = protocol === 'file:' ? request.url() === url : asked.origin === origin;
    if (!isOwn && asked.protocol !== 'data:') faults.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  const end = async (): Promise<void> => {
    await context.close();
    if (faults.length > 0) throw new Error(faults.join('; '));
  };
  return { page, faults, end };
}

/** Faults that keep people out, as axe finds them, each with where it is. */
export async function accessFaults(page: Page): Promise<readonly string[]> {
  // Evaluated from outside, where the page's own policy does not hold.
  await page.evaluate(axe.source);
  const found = await page.evaluate<readonly { id: string; impact: string; targets: string }[]>(
    `axe.run(document).then(({ violations }) => violations.map(({ id, impact, nodes }) =>
      ({ id, impact: String(impact), targets: nodes.slice(0, 3).map(({ target }) => target.join(' ')).join(', ') })))`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, targets }) => `${id} at ${targets}`);
}

/** Nothing is wider than the screen. @throws Error  when something is. */
export async function checkWidth(page: Page, { width }: Screen): Promise<void> {
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
  if (wide > width) throw new Error(`it is ${wide} pixels wide on ${width}`);
}
