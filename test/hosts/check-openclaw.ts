import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledOpenClaw } from '../openclaw-import/install-openclaw.ts';
import { type HostModel, startHostModel } from './host-model.ts';
import { type HostReport, type HostRows, hostRows } from './host-row.ts';
import {
  type OpenClawHome,
  type OpenClawProcess,
  openClawKey,
  prepareOpenClaw,
  startOpenClaw,
} from './openclaw-process.ts';

/** What a run of OpenClaw is checked with. */
interface Trial {
  readonly home: OpenClawHome;
  readonly model: HostModel;
  readonly rows: HostRows;
  readonly lines: string[];
  readonly nonce: string;
}

/**
 * Runs a gateway of OpenClaw with the plugin against a model on this machine, as `checkPi` does with pi.
 *
 * @param installed  The OpenClaw.
 * @param options.plugin  The folder of the plugin.
 */
export async function checkOpenClaw(
  installed: InstalledOpenClaw,
  { folder, plugin }: { readonly folder: string; readonly plugin: string },
): Promise<HostReport> {
  await using model = await startHostModel();
  const home = { folder, plugin, url: model.server.url };
  await prepareOpenClaw(home);
  const trial = { home, model, rows: hostRows(), lines: [], nonce: `nonce-${randomUUID()}` };
  const first = await startOpenClaw(installed, home);
  try {
    await talk(first, trial);
    await abort(first, trial);
    await overflow(first, trial);
    await compact(first, trial);
  } finally {
    await first.kill();
  }
  const second = await startOpenClaw(installed, home);
  try {
    await restart(second, trial);
  } finally {
    await second.stop();
  }
  return { rows: trial.rows.rows, lines: [...trial.lines, `calls: ${calls(folder).join(', ')}`] };
}

/** What the engine was called, in order. */
function calls(folder: string): readonly string[] {
  const file = join(folder, 'calls.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** Notes whether the nonce is where it must be. */
function follow(trial: Trial, { when, said }: { readonly when: string; readonly said: string }): boolean {
  const { model, home, nonce, lines } = trial;
  const request = model.server.requests.at(-1);
  const inRequest = JSON.stringify(request?.body ?? null).includes(nonce);
  const inJournal = journals(home.folder).some((text) => text.includes(nonce));
  const inReply = said.includes(nonce);
  const found = (is: boolean): string => (is ? nonce : 'NOT FOUND');
  lines.push(
    `${when}: request ${request?.number ?? 0} has ${found(inRequest)}`,
    `${when}: the journal has ${found(inJournal)}`,
    `${when}: the reply has ${found(inReply)}`,
  );
  return inRequest && inJournal && inReply;
}

async function talk(openClaw: OpenClawProcess, trial: Trial): Promise<void> {
  const { model, rows, nonce, home } = trial;
  const said = await openClaw.ask(`Please remember ${nonce}`);
  const isFound = follow(trial, { when: 'at first', said });
  const [request] = model.server.requests;
  rows.holds('real package over loopback', request !== undefined, 'no request has come');
  rows.holds('round trip', isFound, `the nonce was lost: ${said}`);
  const isStored = calls(home.folder).some((call) => call === 'commitTurn committed' || call === 'afterTurn');
  rows.holds('turns are stored by the engine', isStored, calls(home.folder).join(', '));
  rows.holds('streaming', request?.stream === true, 'the request is not streamed');
  const told = await openClaw.ask('Please look into notes.txt');
  const isKept = journals(home.folder).some((text) => text.includes('54 degrees'));
  rows.holds('tools', told.includes('54 degrees') && isKept, told);
}

async function abort(openClaw: OpenClawProcess, { model, rows, lines, home }: Trial): Promise<void> {
  const gate = model.holdNext();
  const arrived = model.server.arrival(model.server.requests.length + 1);
  const asked = openClaw.ask('This will be broken off').catch(String);
  const { ended } = await arrived;
  const params = JSON.stringify({ sessionKey: openClawKey });
  const told = await openClaw.command(['gateway', 'call', 'chat.abort', '--params', params, '--json']).catch(String);
  const isAborted = /"aborted":\s*true/.test(told);
  if (!isAborted) gate.open();
  const how = await ended;
  gate.open();
  await asked;
  const isKept = journals(home.folder).some((text) => text.includes('This will be broken off'));
  const said = await openClaw.ask('And now?');
  if (isAborted) rows.holds('abort', how === 'left' && !isKept && said.includes('Reply'), `${how}; ${isKept}; ${said}`);
  else lines.push('abort: not tried, this version does not abort runs of its command line');
}

const long = 'Of the harbour I know this, and of its tides. '.repeat(500);

async function overflow(openClaw: OpenClawProcess, { model, rows }: Trial): Promise<void> {
  for (const number of [1, 2]) await openClaw.ask(`${number}. ${long}`);
  const before = model.server.requests.length;
  model.overflowNext();
  const said = await openClaw.ask(`3. ${long}`);
  const [refused, retried] = model.server.requests.slice(before);
  const shrank = (retried?.inputTokens ?? Infinity) < (refused?.inputTokens ?? 0);
  const sizes = `${refused?.inputTokens} tokens, then ${retried?.inputTokens}`;
  rows.holds('overflow', said.includes('Reply') && shrank, `${sizes}: ${said.slice(0, 400)}`);
}

async function compact(openClaw: OpenClawProcess, trial: Trial): Promise<void> {
  await openClaw.ask(`4. ${long}`);
  const before = compactions(trial);
  const told = await openClaw.compact();
  const isOurs = compactions(trial) > before;
  const said = await openClaw.ask('What was I to be reminded of?');
  const isFound = follow(trial, { when: 'after a compaction', said });
  if (isOurs) trial.rows.holds('compaction', told.includes(trial.nonce), told.slice(0, 400));
  else trial.lines.push('compaction on command: this version does not ask its engine for it');
  trial.rows.holds('round trip after a compaction', isFound, `the nonce was lost: ${said}`);
}

function compactions({ home }: Trial): number {
  return calls(home.folder).filter((call) => call === 'compact true').length;
}

async function restart(openClaw: OpenClawProcess, trial: Trial): Promise<void> {
  const said = await openClaw.ask('And now, after a restart?');
  const isFound = follow(trial, { when: 'after a restart', said });
  const count = journals(trial.home.folder).length;
  const failed = calls(trial.home.folder).filter((line) => /FAILED|WARNED/.test(line));
  trial.rows.holds('restart', isFound && count === 1, `${count} journals; ${said}`);
  trial.rows.holds('no call fails', failed.length === 0, failed.join('; '));
}

/** The texts of all journals. */
function journals(folder: string): readonly string[] {
  const place = join(folder, 'varve', 'agents', 'main', 'sessions');
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(place, name), 'utf8'));
}
