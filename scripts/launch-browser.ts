import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where a Chromium is looked for, behind what VARVE_BROWSER names. */
const browserPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'] as const;

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** Starts the Chromium of this machine; `null`, with the reason said, where there is none, or none that starts. */
export async function launchBrowser(): Promise<Browser | null> {
  const named = process.env['VARVE_BROWSER'];
  const executablePath = [named, ...browserPlaces].find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) {
    console.log(`There is no browser at ${browserPlaces.join(', ')} nor in VARVE_BROWSER.`);
    return null;
  }
  try {
    return await chromium.launch({ executablePath, args: flags });
  } catch (error) {
    console.log(`${executablePath} does not start: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
