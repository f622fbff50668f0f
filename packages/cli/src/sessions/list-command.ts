import type { PageEnd, SessionOrder, SessionPage } from '@varve/sessions';
import { Command, Option } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, type OpenedConfig, openConfig, rootHelp } from '../config/open-config.ts';
import { hasStore, openSessions } from '../store/open-sessions.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { readingExits } from '../terminal/exit-texts.ts';
import { parseNumber, usage } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { addFilterOptions, type FilterFlags, filterOf } from './filter-options.ts';
import { sessionsBehind } from './sessions-behind.ts';
import { sessionTable } from './sessions-report.ts';

interface Flags extends ConfigFlags, FilterFlags {
  readonly sort: SessionOrder;
  readonly reverse?: boolean;
  readonly limit: number;
  readonly after?: PageEnd;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions list
  varve sessions list --root journals/ --state open --text invoice
  varve sessions list --kind group --since 7d --sort tokens
  varve sessions list --json | jq '.sessions[] | select(.counters.totalTokens > 100000)'
  varve sessions list --json --after 1767225600000:a1b2     the page behind that session, as "next" says

${readingExits}
`;

/** Sessions that are asked for at once. */
const mostAtOnce = 1_000;

/** Makes `varve sessions list`. `done` is told the exit code. */
export function listCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('list')
    .summary('the sessions of a store, last used first')
    .description(
      'Lists sessions, the one that was used last first: messages, size of the last prompt, and tokens that providers ' +
        'reported. Takes no lock: it may run beside anything.',
    )
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addFilterOptions(command)
    .addOption(
      new Option('--sort <order>', 'what comes first is the greatest')
        .choices(['updated', 'created', 'tokens', 'messages', 'spent'])
        .default('updated'),
    )
    .option('--reverse', 'the least comes first')
    .option('--limit <number>', 'most sessions that are listed', parseNumber, 50)
    .option('--after <place>', 'go on behind that place, as "next" of the page before says', parsePlace)
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => done(await runList(io, flags)));
}

async function runList(io: CliIo, flags: Flags): Promise<ExitCode> {
  const place = await openConfig(flags, io);
  const { root } = place;
  const isThere = hasStore(root);
  const { sessions, next, behind } = isThere ? await pagesIn(place, flags) : nothing;
  const more = next !== null;
  if (flags.json === true) {
    const listed = sessions.map(({ record, kind, peer, generation }) => {
      return { ...record, kind, peer, generation, isBehind: behind.has(record.sessionId) };
    });
    const found = { root, sessions: listed, more, next: next === null ? null : `${next.value}:${next.sessionId}` };
    await writeTo(io.stdout, `${printableJson(found)}\n`);
    return exitCodes.done;
  }
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const found = { root, hasStore: isThere, sessions, behind, more };
  await writeTo(io.stdout, `${sessionTable(found, { colours, columns: lineColumnsOf(io.stdout) })}\n`);
  return exitCodes.done;
}

/** What is listed, and ids of the sessions whose records are behind their journals. */
interface FoundSessions extends SessionPage {
  readonly behind: ReadonlySet<string>;
}

const nothing: FoundSessions = { sessions: [], next: null, behind: new Set() };

/** As many sessions as are asked for, however many pages that takes. */
async function pagesIn(place: OpenedConfig, flags: Flags): Promise<FoundSessions> {
  await using opened = await openSessions(place);
  const { sort, reverse, limit } = flags;
  const query = { ...filterOf(flags), sort, reverse };
  let page: SessionPage = { sessions: [], next: flags.after ?? null };
  do {
    const asked = {
      ...query,
      limit: Math.min(limit - page.sessions.length, mostAtOnce),
      after: page.next ?? undefined,
    };
    const { sessions, next } = await opened.sessions.list(asked);
    page = { sessions: [...page.sessions, ...sessions], next };
  } while (page.next !== null && page.sessions.length < limit);
  const records = page.sessions.map(({ record }) => record);
  return { ...page, behind: await sessionsBehind(opened, records) };
}

/** Reads `1767225600000:a1b2`. @throws VARVE_USAGE */
function parsePlace(text: string): PageEnd {
  const match = /^(\d+):(.+)$/s.exec(text);
  if (match !== null) return { value: Number(match[1]), sessionId: match[2] ?? '' };
  throw usage(`"${text}" is no place in a list.`, 'Give what "next" said in the JSON of the page before.');
}
