import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where a Chromium is looked for, behind what VARVE_BROWSER names. */
export const browserPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'] as const;

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** Starts the Chromium of this machine; `null` where there is none. */
export async function launchBrowser(): Promise<Browser | null> {
  const executablePath = [process.env['VARVE_BROWSER'], ...browserPlaces].find(
    (path) => path !== undefined && existsSync(path),
  );
  return executablePath === undefined ? null : chromium.launch({ executablePath, args: flags });
}
