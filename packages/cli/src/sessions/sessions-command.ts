import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mostSessions, type SessionRecord } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { Command, Option } from 'commander';
import pc from 'picocolors';
import { findSession } from '../store/find-session.ts';
import { rootHelp, storeRoot } from '../store/store-root.ts';
import { type CliIo, columnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { parseNumber } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { sessionReport, sessionTable } from './sessions-report.ts';

interface ListFlags {
  readonly root?: string;
  readonly agent?: string;
  readonly state?: SessionRecord['state'];
  readonly text?: string;
  readonly limit: number;
  readonly json?: boolean;
}

interface ShowFlags {
  readonly root?: string;
  readonly json?: boolean;
}

const exitText = 'Exit codes: 0 done, 2 not done (no such session, a store that cannot be read).';

const examples = `
Examples:
  varve sessions list --root journals/
  varve sessions list --agent main --text invoice --limit 20
  varve sessions list --json | jq -r '.sessions[].sessionId'
  varve sessions show session --root journals/

${exitText}
`;

const listExamples = `
Examples:
  varve sessions list
  varve sessions list --root journals/ --state open --text invoice
  varve sessions list --json | jq '.sessions[] | select(.counters.totalTokens > 100000)'

${exitText}
`;

const showExamples = `
Examples:
  varve sessions show session --root journals/
  varve sessions show agent:main:main --json | jq .health

${exitText}
`;

/** Makes `varve sessions` with its subcommands. `done` is told the exit code. */
export function sessionsCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const list = new Command('list')
    .summary('the sessions of a store, last used first')
    .description(
      'Lists sessions, the one that was used last first: messages, size of the last prompt, and tokens that providers ' +
        'reported. Takes no lock: it may run beside anything.',
    )
    .option('--root <folder>', rootHelp)
    .option('--agent <id>', 'only sessions of this agent')
    .addOption(new Option('--state <state>', 'only sessions in this state').choices(['open', 'archived']))
    .option('--text <text>', 'only sessions with this in their id, key or name')
    .option('--limit <number>', 'most sessions that are listed', parseNumber, 50)
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', listExamples)
    .action(async (flags: ListFlags) => done(await runList(io, flags)));
  const show = new Command('show')
    .summary('one session: counters, settings, last compaction, health')
    .description('Shows what is known of one session. Takes no lock and changes nothing.')
    .argument('<session>', 'session id or key')
    .option('--root <folder>', rootHelp)
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', showExamples)
    .action(async (session: string, flags: ShowFlags) => done(await runShow(io, session, flags)));
  return new Command('sessions')
    .summary('what sessions a store holds')
    .description('Says which sessions a store holds, and how they are.')
    .addCommand(list)
    .addCommand(show)
    .addHelpText('after', examples);
}

async function runList(io: CliIo, flags: ListFlags): Promise<ExitCode> {
  const { json = false, limit } = flags;
  const root = storeRoot(flags.root, io.env);
  const records = await recordsIn(root, flags);
  const found = { root, sessions: records.slice(0, limit), more: records.length > limit };
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const hasStore = existsSync(join(root, 'agents'));
  const text = json
    ? printableJson(found)
    : sessionTable({ ...found, hasStore }, { colours, columns: columnsOf(io.stdout) });
  await writeTo(io.stdout, `${text}\n`);
  return exitCodes.done;
}

/** One record more than is listed, if there is one. */
async function recordsIn(root: string, { agent, state, text, limit }: ListFlags): Promise<readonly SessionRecord[]> {
  if (!existsSync(root)) return [];
  await using store = jsonlStore({ root });
  const records: SessionRecord[] = [];
  while (records.length <= limit) {
    const wanted = Math.min(mostSessions, limit + 1 - records.length);
    const query = { agentId: agent, state, text, after: records.at(-1), limit: wanted };
    const page = await store.sessions.list(query);
    records.push(...page);
    if (page.length < wanted) break;
  }
  return records;
}

async function runShow(io: CliIo, name: string, { root, json = false }: ShowFlags): Promise<ExitCode> {
  const session = await findSession(storeRoot(root, io.env), name);
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  await writeTo(io.stdout, `${json ? printableJson(session) : sessionReport(session, { colours })}\n`);
  return exitCodes.done;
}
