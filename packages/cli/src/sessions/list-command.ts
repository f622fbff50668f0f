import type { PageEnd, SessionListQuery, SessionOrder, SessionPage } from '@varve/sessions';
import { Command, Option } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, type OpenedConfig, openConfig, rootHelp } from '../config/open-config.ts';
import { addGatewayOptions, type GatewayFlags, type RemoteGateway, remoteGateway } from '../remote/remote-gateway.ts';
import { remotePage } from '../remote/remote-sessions.ts';
import { hasStore, openSessions } from '../store/open-sessions.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { readingExits } from '../terminal/exit-texts.ts';
import { parseNumber, usage } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { addFilterOptions, type FilterFlags, filterOf } from './filter-options.ts';
import { sessionsBehind } from './sessions-behind.ts';
import { sessionTable } from './sessions-report.ts';

interface Flags extends ConfigFlags, FilterFlags, GatewayFlags {
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
  varve sessions list --gateway http://127.0.0.1:8137 --token-file token.txt
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
  return addFilterOptions(addGatewayOptions(command))
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
  const gateway = await remoteGateway(flags, io);
  const place = await openConfig(gateway === null ? flags : { config: 'none' }, io);
  const root = gateway?.url ?? place.root;
  const isThere = gateway !== null || hasStore(root);
  const found = !isThere ? nothing : await (gateway === null ? pagesIn(place, flags) : remotePages(gateway, flags));
  const { sessions, next, behind, packed } = found;
  const more = next !== null;
  if (flags.json === true) {
    const listed = sessions.map(({ record, kind, peer, generation }) => {
      const { sessionId } = record;
      const journal = { isBehind: behind.has(sessionId), isPacked: packed.has(sessionId) };
      return { ...record, kind, peer, generation, ...journal };
    });
    const printed = { root, sessions: listed, more, next: next === null ? null : `${next.value}:${next.sessionId}` };
    await writeTo(io.stdout, `${printableJson(printed)}\n`);
    return exitCodes.done;
  }
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const shown = { root, hasStore: isThere, sessions, behind, packed, more };
  await writeTo(io.stdout, `${sessionTable(shown, { colours, columns: lineColumnsOf(io.stdout) })}\n`);
  return exitCodes.done;
}

/** What is listed, and what is known of the journals. */
interface FoundSessions extends SessionPage {
  /** Ids of the sessions whose records are behind their journals. */
  readonly behind: ReadonlySet<string>;
  /** Ids of those whose journals are packed. */
  readonly packed: ReadonlySet<string>;
}

const nothing: FoundSessions = { sessions: [], next: null, behind: new Set(), packed: new Set() };

/** The sessions of a gateway. */
async function remotePages(gateway: RemoteGateway, flags: Flags): Promise<FoundSessions> {
  return { ...nothing, ...(await pages(flags, (query) => remotePage(gateway, query))) };
}

/** The sessions of a store. */
async function pagesIn(place: OpenedConfig, flags: Flags): Promise<FoundSessions> {
  await using opened = await openSessions(place);
  const page = await pages(flags, (query) => opened.sessions.list(query));
  const records = page.sessions.map(({ record }) => record);
  // A journal is packed that belongs to an archived session.
  const mayBePacked = records.some(({ state }) => state === 'archived');
  const packed = mayBePacked ? ((await opened.store.archives?.list()) ?? []) : [];
  return { ...page, behind: await sessionsBehind(opened, records), packed: new Set(packed) };
}

/** As many sessions as are asked for, however many pages that takes. */
async function pages(flags: Flags, list: (query: SessionListQuery) => Promise<SessionPage>): Promise<SessionPage> {
  const { sort, reverse, limit } = flags;
  const query = { ...filterOf(flags), sort, reverse };
  let page: SessionPage = { sessions: [], next: flags.after ?? null };
  do {
    const after = page.next ?? undefined;
    const { sessions, next } = await list({
      ...query,
      limit: Math.min(limit - page.sessions.length, mostAtOnce),
      after,
    });
    page = { sessions: [...page.sessions, ...sessions], next };
  } while (page.next !== null && page.sessions.length < limit);
  return page;
}

/** Reads `1767225600000:a1b2`. @throws VARVE_USAGE */
function parsePlace(text: string): PageEnd {
  const match = /^(\d+):(.+)$/s.exec(text);
  if (match !== null) return { value: Number(match[1]), sessionId: match[2] ?? '' };
  throw usage(`"${text}" is no place in a list.`, 'Give what "next" said in the JSON of the page before.');
}
