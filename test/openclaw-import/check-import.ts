import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost, type Prompt, partsOfMessage } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import type { InstalledOpenClaw } from './install-openclaw.ts';
import { type OpenClawLife, run } from './live-with-openclaw.ts';

/** One thing that must hold of an import, and what speaks against it. */
interface ImportCheck {
  readonly name: string;
  /** Empty where it holds. */
  readonly fault: string;
}

/** What an import came to. */
export interface ImportResult {
  readonly checks: readonly ImportCheck[];
  /** A line for people for each conversation. */
  readonly lines: readonly string[];
}

interface Line {
  readonly from: string;
  readonly outcome: string;
  readonly sessionId: string | null;
  readonly key: string | null;
  readonly messages: number;
  readonly why: string | null;
  readonly lines?: {
    readonly read: number;
    readonly messages: number;
    readonly settings: number;
    readonly records: Readonly<Record<string, number>>;
    readonly left: readonly { readonly what: string; readonly count: number; readonly why: string }[];
  };
}

const bin = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));

/** Imports what OpenClaw has kept of its life, and holds it against what was said. */
export async function checkImport(
  installed: InstalledOpenClaw,
  { life, root }: { readonly life: OpenClawLife; readonly root: string },
): Promise<ImportResult> {
  const varve = (...argv: string[]): Promise<string> =>
    run(
      spawn(installed.node, ['--conditions=@varve/source', '--import', 'tsx', bin, ...argv, '--root', root], {
        cwd: join(bin, '../../../..'),
      }),
    );
  const before = hashOf(life.state);
  const importAt = async (...argv: string[]): Promise<readonly Line[]> => {
    const { lines } = JSON.parse(await varve('sessions', 'import', ...argv, '--json')) as {
      readonly lines: readonly Line[];
    };
    return lines;
  };
  const found = await importAt(life.state);
  // What a reset put away is in a file that nobody names; whose it was is known here.
  const putAway = found.map(({ from }) => from).filter((from) => from.includes('.jsonl.reset.'));
  const lines = [...found];
  for (const file of putAway) lines.push(...(await importAt(file, '--key', 'agent:main:main')));
  const checks: ImportCheck[] = [];
  const check = (name: string, fault: string | false): void => {
    checks.push({ name, fault: fault === false ? '' : fault });
  };
  check('the files of OpenClaw are as they were', hashOf(life.state) !== before && 'their hash is another one');
  const imported = lines.filter(({ outcome }) => outcome === 'imported');
  const sums = imported.map(({ from, lines: account }) => ({ from, account, sum: sumOf(account) }));
  const odd = sums.filter(({ account, sum }) => account === undefined || account.read !== sum);
  check('every line read is imported, kept or left out with its reason', odd.length > 0 && JSON.stringify(odd));
  const read = sums.reduce((sum, { account }) => sum + (account?.read ?? 0), 0);
  const there = await linesOf(installed, life.state);
  check('as many lines are read as there are', read !== there.lines && `${read} of ${there.lines}`);
  const skipped = lines.filter(({ outcome, why }) => outcome === 'failed' || (outcome === 'skipped' && why === null));
  check('what is skipped has a reason, and nothing failed', skipped.length > 0 && JSON.stringify(skipped));
  const kept = sums.reduce((sum, { account }) => {
    const { compaction = 0 } = account?.records ?? {};
    return sum + compaction;
  }, 0);
  const { compactions } = there;
  check(`its compactions, ${compactions}, are kept as records`, kept !== compactions && `${kept} of ${compactions}`);
  for (const { agentId, before: old, since } of life.said) {
    const key = `agent:${agentId}:main`;
    const current = imported.find((line) => line.key === key && !/before reset|\.reset\./.test(line.from));
    const prompt = current?.sessionId == null ? null : await nextPrompt(root, current.sessionId);
    const text = prompt === null ? '' : JSON.stringify(prompt.messages);
    const missing = since.filter((said) => !text.includes(said));
    check(`the next prompt of ${key} has all that was said since its reset`, missing.length > 0 && missing.join(' | '));
    const entered = old.filter((said) => text.includes(said.slice(0, 30)) && !since.includes(said));
    check(
      `nothing that was said before the reset of ${key} is in it`,
      entered.length > 0 && entered.join(' | ').slice(0, 200),
    );
    check(`the prompt of ${key} has each call with its result`, prompt === null ? 'there is none' : unpaired(prompt));
    const explained =
      current?.sessionId == null
        ? ''
        : await goOn(root, current.sessionId)
            .then(() => varve('explain', current.sessionId ?? ''))
            .catch(String);
    check(`varve explain works on ${key}, once it has gone on`, !explained.includes('kept') && explained);
  }
  const again = await importAt(life.state);
  const twice = again.filter(({ outcome }) => outcome !== 'skipped');
  check('a second import imports nothing', twice.length > 0 && JSON.stringify(twice));
  const doctor = await varve('doctor', '--json').catch(String);
  check('doctor finds nothing wrong', !doctor.includes('"error":0') && doctor);
  return { checks, lines: lines.map(textOf) };
}

function sumOf(account: Line['lines']): number {
  if (account === undefined) return 0;
  const records = Object.values(account.records).reduce((sum, count) => sum + count, 0);
  return account.messages + account.settings + records + account.left.reduce((sum, { count }) => sum + count, 0);
}

function textOf({ from, outcome, messages, why, lines }: Line): string {
  const account = lines === undefined ? '' : `; ${JSON.stringify(lines)}`;
  return `${outcome} ${from}: ${messages} messages${why === null ? '' : `, ${why}`}${account}`;
}

/** One hash of all files of a folder, with their names. */
function hashOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

/** What the transcripts of conversations hold, counted without the product. */
interface Counted {
  readonly lines: number;
  readonly compactions: number;
}

async function linesOf({ node, version }: InstalledOpenClaw, state: string): Promise<Counted> {
  let [lines, compactions] = [0, 0];
  for (const agent of readdirSync(join(state, 'agents'))) {
    const folder = join(state, 'agents', agent);
    const types = version.startsWith('2026.3.')
      ? typesInFiles(join(folder, 'sessions'))
      : JSON.parse(await run(spawn(node, ['--no-warnings', '-e', typesInDatabase, join(folder, 'agent')])));
    lines += types.length;
    compactions += types.filter((type: string) => type === 'compaction').length;
  }
  return { lines, compactions };
}

function typesInFiles(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => /\.jsonl(\.reset\..*)?$/.test(name));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
  return lines.map((line) => JSON.parse(line).type);
}

const typesInDatabase = `
  const { DatabaseSync } = require('node:sqlite');
  const { cpSync, mkdtempSync, rmSync } = require('node:fs');
  const copy = mkdtempSync(require('node:os').tmpdir() + '/varve-count-');
  cpSync(process.argv[1], copy, { recursive: true });
  const sql = 'SELECT i.event_type AS type FROM transcript_events e LEFT JOIN transcript_event_identities i USING (session_id, seq)';
  console.log(JSON.stringify(new DatabaseSync(copy + '/openclaw-agent.sqlite').prepare(sql).all().map(({ type }) => type)));
  rmSync(copy, { recursive: true });`;

/** Lets a session make a prompt and store what comes behind it, as its next turn would. */
async function goOn(root: string, sessionId: string): Promise<void> {
  await using store = jsonlStore({ root });
  await using host = await createHost({ store });
  await using session = await host.open(sessionId);
  await session.assemble({ model: { provider: 'fake', model: 'fake-1' } });
  await session.ingest({ role: 'assistant', content: 'I go on from here.' });
}

async function nextPrompt(root: string, sessionId: string): Promise<Prompt> {
  await using store = jsonlStore({ root });
  await using host = await createHost({ store });
  await using session = await host.open(sessionId, { readOnly: true });
  return await session.assemble({ model: { provider: 'fake', model: 'fake-1' }, dryRun: true });
}

function unpaired({ messages }: Prompt): string | false {
  const parts = messages.flatMap((message) => partsOfMessage(message));
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
  const results = parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
  return calls.join() !== results.join() && `${calls.join()} against ${results.join()}`;
}
