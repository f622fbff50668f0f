import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HostModel, startHostModel } from './host-model.ts';
import { type HostReport, type HostRows, hostRows } from './host-row.ts';
import type { InstalledPi } from './install-pi.ts';
import { type PiHome, type PiProcess, preparePi, startPi } from './pi-process.ts';

/** What a run of pi is checked with. */
interface Trial {
  readonly home: PiHome;
  readonly model: HostModel;
  readonly rows: HostRows;
  readonly lines: string[];
  readonly nonce: string;
}

/**
 * Runs pi with the extension against a model on this machine: a word that is made up now must be in the request, in the
 * journal and in the answer, also after a compaction, and after pi was killed and begun again.
 *
 * @param installed  The pi.
 * @param options.extension  The module with the extension, built.
 */
export async function checkPi(
  installed: InstalledPi,
  { folder, extension }: { readonly folder: string; readonly extension: string },
): Promise<HostReport> {
  await using model = await startHostModel();
  const home = { folder, extension, url: model.server.url };
  preparePi(home);
  const trial = { home, model, rows: hostRows(), lines: [], nonce: `nonce-${randomUUID()}` };
  const first = startPi(installed, { home, resumes: false });
  try {
    await talk(first, trial);
    await abort(first, trial);
    await overflow(first, trial);
    await compact(first, trial);
  } finally {
    await first.kill();
  }
  const second = startPi(installed, { home, resumes: true });
  try {
    await restart(second, trial);
    await tellsUsers(second, trial);
    await searches(second, trial);
    await forks(second, trial);
  } finally {
    await second.stop();
  }
  const calls = readFileSync(join(folder, 'calls.txt'), 'utf8').trim().split('\n');
  return { rows: trial.rows.rows, lines: [...trial.lines, `calls: ${calls.join(', ')}`] };
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

async function talk(pi: PiProcess, trial: Trial): Promise<void> {
  const { model, rows, nonce } = trial;
  const said = await pi.ask(`Please remember ${nonce}`);
  const isFound = follow(trial, { when: 'at first', said });
  const [request] = model.server.requests;
  rows.holds('real package over loopback', request !== undefined, 'no request has come');
  rows.holds('round trip', isFound, 'the nonce was lost');
  const pieces = pi.lines.filter(({ type }) => type === 'message_update').length;
  rows.holds('streaming', request?.stream === true && pieces > 2, `${pieces} pieces`);
  const told = await pi.ask('Please look into notes.txt');
  const isRead = told.includes('54 degrees');
  rows.holds('tools', isRead && journals(trial.home.folder).some((text) => text.includes('54 degrees')), told);
}

async function abort(pi: PiProcess, { model, rows, home }: Trial): Promise<void> {
  const gate = model.holdNext();
  const arrived = model.server.arrival(model.server.requests.length + 1);
  const ended = pi.settled();
  await pi.command({ type: 'prompt', message: 'This will be broken off' });
  const { ended: exchange } = await arrived;
  await pi.command({ type: 'abort' });
  await ended;
  gate.open();
  const how = await exchange;
  const said = await pi.ask('And now?');
  const isKept = journals(home.folder).some((text) => text.includes('This will be broken off'));
  rows.holds('abort', how === 'left' && said.startsWith('Reply') && isKept, `${how}; ${said}`);
}

const long = 'Of the harbour I know this, and of its tides. '.repeat(600);

async function overflow(pi: PiProcess, { model, rows }: Trial): Promise<void> {
  await pi.ask(`First. ${long}`);
  await pi.ask(`Second. ${long}`);
  const before = model.server.requests.length;
  model.overflowNext();
  const said = await pi.ask(`Third. ${long}`);
  const [refused, retried] = model.server.requests.slice(before);
  const shrank = (retried?.inputTokens ?? Infinity) < (refused?.inputTokens ?? 0);
  rows.holds(
    'overflow',
    said.startsWith('Reply') && shrank,
    `${refused?.inputTokens} tokens, then ${retried?.inputTokens}: ${said}`,
  );
}

async function compact(pi: PiProcess, trial: Trial): Promise<void> {
  // pi keeps what is recent, and compacts only what is more.
  for (const number of [1, 2, 3]) await pi.ask(`${number}. ${long}`);
  const done = await pi.command({ type: 'compact' });
  const { summary = '' } = (done['data'] ?? {}) as { readonly summary?: string };
  const said = await pi.ask('What was I to be reminded of?');
  const isFound = follow(trial, { when: 'after a compaction', said });
  trial.rows.holds('compaction', done['success'] === true && summary.includes(trial.nonce), JSON.stringify(done));
  trial.rows.holds('round trip after a compaction', isFound, 'the nonce was lost');
}

async function restart(pi: PiProcess, trial: Trial): Promise<void> {
  const said = await pi.ask('And now, after a restart?');
  const isFound = follow(trial, { when: 'after a restart', said });
  const count = journals(trial.home.folder).length;
  const errors = pi.lines.filter(({ type }) => type === 'extension_error').map((line) => JSON.stringify(line));
  trial.rows.holds('restart', isFound && count === 1 && errors.length === 0, `${count} journals; ${errors.join('; ')}`);
}

async function tellsUsers(pi: PiProcess, { rows }: Trial): Promise<void> {
  const shown = pi.until(({ type, method }) => type === 'extension_ui_request' && method === 'notify');
  await pi.command({ type: 'prompt', message: '/varve' });
  const { message } = await shown;
  rows.holds('command', String(message).includes('fake/fake-1'), String(message));
}

async function searches(pi: PiProcess, { rows, nonce }: Trial): Promise<void> {
  const [, word = ''] = nonce.split('-');
  const said = await pi.ask(`Please search for ${word}`);
  rows.holds('tools of plugins', said.includes('The tool says') && said.includes(nonce), said);
}

async function forks(pi: PiProcess, trial: Trial): Promise<void> {
  const { data } = await pi.command({ type: 'get_fork_messages' });
  const { messages } = data as { readonly messages: readonly { readonly entryId: string }[] };
  const forked = await pi.command({ type: 'fork', entryId: messages.at(-1)?.entryId });
  const said = await pi.ask('What was I to be reminded of, in the fork?');
  const isFound = follow(trial, { when: 'in a fork', said });
  const all = journals(trial.home.folder);
  const compacted = all.filter((text) => text.includes('"type":"compaction"')).length;
  const isSo = forked['success'] === true && isFound && all.length === 2 && compacted === 2;
  trial.rows.holds('fork', isSo, `${all.length} journals, ${compacted} with a compaction; ${JSON.stringify(forked)}`);
}

/** The texts of all journals. */
function journals(folder: string): readonly string[] {
  const place = join(folder, 'home', '.pi', 'agent', 'varve', 'agents', 'pi', 'sessions');
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(place, name), 'utf8'));
}
