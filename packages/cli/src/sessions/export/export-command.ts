import type { Session, Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { Command, Option } from 'commander';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../../config/open-config.ts';
import { openReader } from '../../store/open-reader.ts';
import { openSessions } from '../../store/open-sessions.ts';
import { type CliIo, writeTo } from '../../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../../terminal/exit-code.ts';
import { counted } from '../../terminal/format-number.ts';
import { usage } from '../../terminal/parse-options.ts';
import { printableJson, printableText } from '../../terminal/printable-text.ts';
import { flatLines } from './flat-lines.ts';
import { journalLines } from './journal-lines.ts';
import { openLineOutput } from './line-output.ts';
import { createLossTally, type LossTally, lossText } from './loss-tally.ts';
import { piLines } from './pi-lines.ts';
import { openClawDocument, storeDocument } from './store-index.ts';

/** What one session is written as by what is read of it; `varve` is its journal itself. */
const lineFormats: Readonly<Record<string, (session: Session, tally: LossTally) => AsyncIterable<object>>> = {
  flat: flatLines,
  openclaw: piLines,
};

/** What all sessions are written as. */
const documents: Readonly<Record<string, typeof storeDocument>> = {
  'store.json': storeDocument,
  'sessions.json': openClawDocument,
};

interface Flags extends ConfigFlags {
  readonly format: string;
  readonly agent?: string;
  readonly out?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions export agent:main:main > main.jsonl              the whole journal; import reads it
  varve sessions export agent:main:main --format flat             {"role", "content", "timestamp"} a line
  varve sessions export a1b2c3d4 --format openclaw --out a1b2c3d4.jsonl
  varve sessions export --format store.json --agent main          which conversations there are

varve holds everything, also what was rewound, and import makes the same session of it: exported again, it is the same
text, byte for byte. flat and openclaw hold the conversation as it is; what they have no place for is counted and said, on
the standard error output where the lines go to the standard output. store.json and sessions.json hold no messages.

Exit codes: 0 done, 2 not done (no such session, a file that is there already or cannot be written), 130 interrupted.
`;

/** Makes `varve sessions export`. `done` is told the exit code. */
export function exportCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('export')
    .summary('write a session, or the list of all, in a form that others read')
    .description('Writes a session as lines of JSON. Takes no lock and changes nothing.')
    .argument('[session]', 'session id, the beginning of one, or a key; none for store.json and sessions.json')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .addOption(
      new Option('--format <format>', 'what is written')
        .choices(['varve', ...Object.keys(lineFormats), ...Object.keys(documents)])
        .default('varve'),
    )
    .option('--agent <id>', 'with store.json and sessions.json: only sessions of this agent')
    .option('--out <file>', 'write to a new file (default: the standard output)')
    .option('--json', 'with --out: print what was written as one JSON object')
    .addHelpText('after', examples)
    .action(async (session: string | undefined, flags: Flags) => done(await runExport(io, session, flags)));
}

async function runExport(io: CliIo, name: string | undefined, flags: Flags): Promise<ExitCode> {
  const { format, agent, out, json = false } = flags;
  const place = await openConfig(flags, io);
  const toDocument = Object.hasOwn(documents, format) ? documents[format] : undefined;
  if (toDocument !== undefined) {
    if (name !== undefined)
      throw usage(`${format} holds all sessions.`, 'Leave the session out, or take another --format.');
    await using opened = await openSessions(place);
    await using output = await openLineOutput(io, out);
    await output.write(await toDocument(opened.sessions, agent === undefined ? {} : { agentId: agent }));
    await output.flush();
    return say(io, { format, out, json, lines: 1, tally: createLossTally() });
  }
  if (name === undefined) throw usage('No session is named.', 'Name one, or take --format store.json for all.');
  await using reader = await openReader(place, name);
  await using output = await openLineOutput(io, out);
  const tally = createLossTally();
  let lines = 0;
  await using store = jsonlStore({ root: place.root });
  for await (const line of linesOf(reader.session, { format, store, tally })) {
    await output.write(line);
    lines += 1;
    if (io.signal?.aborted === true) return exitCodes.interrupted;
  }
  if (format in lineFormats) tally.note('entry that this version does not know', reader.malformed().count);
  await output.flush();
  return say(io, { format, out, json, lines, tally });
}

async function* linesOf(
  session: Session,
  { format, store, tally }: { readonly format: string; readonly store: Store; readonly tally: LossTally },
): AsyncGenerator<object, void, undefined> {
  const toLines = lineFormats[format];
  if (toLines !== undefined) return yield* toLines(session, tally);
  const record = session.info();
  const journal = await store.open(record.sessionId, { readOnly: true });
  try {
    yield* journalLines(journal, { record, tally });
  } finally {
    await journal.close();
  }
}

/** Says what was written and what was left out, where the standard output is free for it. */
async function say(
  io: CliIo,
  written: {
    readonly format: string;
    readonly out: string | undefined;
    readonly json: boolean;
    readonly lines: number;
    readonly tally: LossTally;
  },
): Promise<ExitCode> {
  const { format, out, json, lines, tally } = written;
  const left = lossText(tally);
  if (out === undefined) {
    if (left !== '') await writeTo(io.stderr, `${printableText(left)}\n`);
    return exitCodes.done;
  }
  const said = `Wrote ${counted(lines, 'line')} (${format}) to ${printableText(out)}.${left === '' ? '' : ` ${left}`}`;
  const text = json ? printableJson({ format, out, lines, lost: tally.lost }) : printableText(said);
  await writeTo(io.stdout, `${text}\n`);
  return exitCodes.done;
}
