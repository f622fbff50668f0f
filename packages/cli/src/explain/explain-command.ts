import { existsSync, statSync } from 'node:fs';
import { type Explanation, type Session, VarveError } from '@varve/core';
import { Command } from 'commander';
import pc from 'picocolors';
import { openConfig } from '../config/open-config.ts';
import { withProgress } from '../replay/replay-command.ts';
import { addReplayOptions, type ReplayFlags, replayOptionsOf } from '../replay/replay-options.ts';
import { replayTranscript } from '../replay/replay-transcript.ts';
import { sessionNameOf } from '../replay/session-name.ts';
import { openRoot } from '../replay/temporary-root.ts';
import { firstChangeIn, withKeys } from '../store/journal-places.ts';
import { sessionNames } from '../store/list-sessions.ts';
import { openJournal, type ReadSession } from '../store/open-journal.ts';
import { sessionIdOf } from '../store/open-reader.ts';
import { hasStore } from '../store/open-sessions.ts';
import { type CliIo, columnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { counted } from '../terminal/format-number.ts';
import { parseDiff, parseNumber, usage } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { diffRequests } from './diff-requests.ts';
import { diffReport, explainReport } from './explain-report.ts';
import { nextRequest } from './next-request.ts';
import { verdictTotals } from './verdict-runs.ts';

interface Flags extends ReplayFlags {
  readonly root?: string;
  readonly session?: string;
  readonly request?: number;
  readonly entry?: number;
  readonly diff?: readonly [earlier: number, later: number];
  readonly json?: boolean;
  readonly all?: boolean;
}

const examples = `
Examples:
  varve explain session.jsonl                        the last request of a replay
  varve explain session.jsonl --request 12 --entry 3
  varve explain session.jsonl --diff 12,13 --budget 16k
  varve explain agent:main:main                      a conversation of the store, by key or session id
  varve explain session --root journals/             a journal that varve replay --root has kept
  varve explain --root journals/                     says which sessions are there

Exit codes: 0 done, 2 not done (no such session, request or entry, or a file that is no transcript), 130 interrupted.

In a clone: pnpm -s varve explain … (without -s, pnpm prints lines of its own before the output).
`;

/** Makes `varve explain`. `done` is told the exit code. */
export function explainCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('explain')
    .summary('say why each message is, or is not, in a request')
    .description(
      'Gives one verdict an entry: kept, summarised, cleared, dropped, with the rule and the plugin behind it. ' +
        'Replays a transcript first; with --root, reads a journal that was kept, as it was recorded.',
    )
    .argument('[file-or-session]', 'transcript, or with --root the name of a session')
    .option('--root <folder>', 'folder of the journals')
    .option('--session <name>', 'session in that folder')
    .option('--request <number>', 'which request, from 1 (default: the last)', parseNumber)
    .option('--entry <seq>', 'only this entry', parseNumber)
    .option('--diff <a,b>', 'what differs between two requests', parseDiff)
    .option('--all', 'print a line for every entry')
    .option('--json', 'print one JSON object instead');
  return addReplayOptions(command)
    .addHelpText('after', examples)
    .action(async (file: string | undefined, flags: Flags) => done(await runExplain(io, file, flags)));
}

async function runExplain(io: CliIo, subject: string | undefined, flags: Flags): Promise<ExitCode> {
  if (flags.root !== undefined) {
    return explainJournal(io, { root: flags.root, session: await sessionOf(subject, flags), flags });
  }
  if (flags.session !== undefined)
    throw usage('--session names a session of a folder.', 'Give the folder with --root.');
  if (subject === undefined) throw usage('There is nothing to explain.', 'Give a transcript, or --root and a session.');
  const stored = await storedSession(io, subject);
  if (stored !== null) return explainJournal(io, { ...stored, flags });
  await using root = await openRoot(undefined);
  const replay = await withProgress(io, (onProgress) =>
    replayTranscript({ ...replayOptionsOf(subject, flags), root: root.path, onProgress, signal: io.signal }),
  );
  if (replay.interrupted) {
    throw new VarveError('VARVE_ABORTED', 'The replay was interrupted.', { fix: 'Run it again.' });
  }
  const session = replay.sessions[0]?.session ?? '';
  const { length: conversations } = replay.sessions;
  if (conversations > 1 && flags.json !== true) {
    await writeTo(io.stdout, `The first of ${conversations} conversations; --item <number> shows another.\n\n`);
  }
  // Awaited here: the folder is removed when this function ends.
  return await explainJournal(io, { root: root.path, session, flags });
}

/** A session of the store that the other commands work on; `null` for the name of a file, or where there is no store. */
async function storedSession(
  io: CliIo,
  subject: string,
): Promise<{ readonly root: string; readonly session: string } | null> {
  if (existsSync(subject) || /[\\/]|\.(jsonl|ndjson|json|traj|txt)$/i.test(subject)) return null;
  const place = await openConfig({}, io);
  return hasStore(place.root) ? { root: place.root, session: await sessionIdOf(place, subject) } : null;
}

/** The session that is meant: by its name, or as the transcript that was replayed into it. */
async function sessionOf(subject: string | undefined, { root = '', session, item }: Flags): Promise<string> {
  if (session !== undefined) return session;
  if (subject === undefined) {
    const names = await sessionNames(root);
    if (names === null) throw usage(`There is no session in "${root}".`, 'Give the folder of a store to --root.');
    throw usage('A session has to be named.', `Give one of those that are there: ${names}.`);
  }
  const isFile = existsSync(subject) && statSync(subject).isFile();
  return isFile ? sessionNameOf(subject, item ?? null) : subject;
}

async function explainJournal(
  io: CliIo,
  { root, session: name, flags }: { readonly root: string; readonly session: string; readonly flags: Flags },
): Promise<ExitCode> {
  const { all = false, json = false, request, entry: seq, diff } = flags;
  await using journal = await openNamed(root, name);
  const explain = (query: { request?: number; seq?: number }): Promise<Explanation> =>
    explainMessages(journal.session, query);
  const options = { all, columns: columnsOf(io.stdout), colours: pc.createColors(usesColours(io.stdout, io.env)) };
  if (diff !== undefined) {
    const [earlier, later] = [await explain({ request: diff[0] }), await explain({ request: diff[1] })];
    const firstChange = await firstChangeIn(journal.session, { earlier: earlier.request, later: later.request });
    const found = diffRequests(earlier, later, { firstChange });
    const { count: malformed } = journal.malformed();
    const text = json ? printableJson({ session: name, ...found, malformed }) : diffReport(found, options);
    await writeTo(io.stdout, `${text}\n${json ? '' : malformedNote(malformed)}`);
    return exitCodes.done;
  }
  const explained = await explain({
    ...(request === undefined ? {} : { request }),
    ...(seq === undefined ? {} : { seq }),
  });
  const explanation = { ...explained, entries: await withKeys(journal.session, explained.entries) };
  const totals = verdictTotals(explanation.entries);
  const { count: malformed } = journal.malformed();
  const text = json
    ? printableJson({ session: name, ...explanation, totals, malformed })
    : explainReport(explanation, options);
  await writeTo(io.stdout, `${text}\n${json ? '' : malformedNote(malformed)}`);
  return exitCodes.done;
}

/** Explains a request; of an entry that is no message, the error says what it is instead. */
async function explainMessages(
  session: Session,
  query: { readonly request?: number; readonly seq?: number },
): Promise<Explanation> {
  try {
    return await session.explain(query);
  } catch (error) {
    const { seq, request } = query;
    const isUnknown = VarveError.is(error, 'VARVE_ENTRY_UNKNOWN');
    if (isUnknown && request === undefined && !(await hasRequest(session))) {
      const next = await nextRequest(session, query);
      if (seq === undefined || next.entries.length > 0) return next;
    }
    if (seq === undefined || !isUnknown) throw error;
    for await (const { type } of session.read({ fromSeq: seq, toSeq: seq })) {
      if (type === 'message') break;
      throw new VarveError('VARVE_ENTRY_UNKNOWN', `Entry #${seq} is no message: its type is ${type}.`, {
        fix: 'Ask for a message; with --all and without --entry, each has a line.',
        cause: error,
      });
    }
    throw error;
  }
}

async function hasRequest(session: Session): Promise<boolean> {
  for await (const { type } of session.read()) if (type === 'request') return true;
  return false;
}

/** A line about entries that were left out; nothing when there are none. */
function malformedNote(malformed: number): string {
  if (malformed === 0) return '';
  return `${counted(malformed, 'line')} of the journal: no entries that Varve writes, and left out; see varve doctor.\n`;
}

/** Opens a session for reading; of a name that is unknown, it says which ones there are. */
async function openNamed(root: string, name: string): Promise<ReadSession> {
  try {
    return await openJournal(root, name);
  } catch (error) {
    const names = VarveError.is(error, 'VARVE_STORE_MISSING') ? await sessionNames(root) : null;
    if (names === null || !VarveError.is(error)) throw error;
    throw new VarveError('VARVE_STORE_MISSING', error.message, {
      fix: `Name one of the sessions that are there: ${names}.`,
      cause: error,
    });
  }
}
