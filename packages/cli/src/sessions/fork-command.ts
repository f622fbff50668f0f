import { randomUUID } from 'node:crypto';
import { canonicalKey, formatKey, type SessionRecord } from '@varve/core';
import { Command } from 'commander';
import { type ConfigFlags, configHelp, type OpenedConfig, openConfig, rootHelp } from '../config/open-config.ts';
import { findEntry } from '../store/find-entry.ts';
import { openReader } from '../store/open-reader.ts';
import { type OpenedSessions, openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { writingExits } from '../terminal/exit-texts.ts';
import { parseTokens } from '../terminal/parse-options.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';

interface Flags extends ConfigFlags {
  readonly at?: string;
  readonly key?: string;
  readonly mostTokens?: number;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions fork agent:main:main --key agent:main:direct:~ada
  varve sessions fork agent:main:main --at 120       as it was at entry #120; a copy without a key

The session goes on as it was, and may be in use by another process: it is only read. A fork that would be larger than
--most-tokens is refused, never cut.

${writingExits}
`;

/** Makes `varve sessions fork`. `done` is told the exit code. */
export function forkCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('fork')
    .summary('begin a session with what another one holds')
    .description('Copies a session up to one of its entries; from there on each goes its own way.')
    .argument('<session>', 'session id, the beginning of one, or a key')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--at <entry>', 'number or id of the last entry that both share (default: the last one)')
    .option('--key <key>', 'key of the new conversation (default: none)')
    .option('--most-tokens <tokens>', 'refuse a fork that is larger', parseTokens)
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (session: string, flags: Flags) => done(await runFork(io, session, flags)));
}

async function runFork(io: CliIo, name: string, flags: Flags): Promise<ExitCode> {
  const { json = false } = flags;
  const place = await openConfig(flags, io);
  await using opened = await openSessions(place);
  const record = await resolveSession(opened, name);
  const at = flags.at === undefined ? undefined : await entryId(place, record, flags.at);
  const key = flags.key === undefined ? null : formatKey(canonicalKey(flags.key));
  const sessionId = await fork(opened, record, { at, key, mostTokens: flags.mostTokens });
  const forked = { sessionId, key, from: record.sessionId };
  const where = key === null ? '' : `, under ${printableText(key)}`;
  const said = `Session ${printableText(sessionId)} begins as ${printableText(record.sessionId)}${where}.`;
  await writeTo(io.stdout, `${json ? printableJson(forked) : said}\n`);
  return exitCodes.done;
}

async function entryId(place: OpenedConfig, { sessionId }: SessionRecord, name: string): Promise<string> {
  await using reader = await openReader(place, sessionId);
  const { id } = await findEntry(reader.session, name);
  return id;
}

/** A fork of a conversation where that is what is named; of a session alone otherwise. */
async function fork(
  { host, sessions }: OpenedSessions,
  record: SessionRecord,
  wanted: { readonly at: string | undefined; readonly key: string | null; readonly mostTokens: number | undefined },
): Promise<string> {
  const { at, key, mostTokens } = wanted;
  const isCurrent = record.key !== null && (await sessions.current(record.key))?.sessionId === record.sessionId;
  if (key !== null && record.key !== null && isCurrent) {
    const { sessionId } = await sessions.fork(record.key, { newKey: key, at, mostTokens });
    return sessionId;
  }
  const newSessionId = randomUUID();
  await (await host.fork(record.sessionId, { newSessionId, at, mostTokens, ...(key !== null && { key }) })).close();
  if (key !== null) await host.sessions.patch(newSessionId, { currentSince: Date.now() });
  return newSessionId;
}
