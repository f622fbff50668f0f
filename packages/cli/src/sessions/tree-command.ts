import type { SessionTree } from '@varve/sessions';
import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, type OpenedConfig, openConfig, rootHelp } from '../config/open-config.ts';
import { hasStore, openSessions } from '../store/open-sessions.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { readingExits } from '../terminal/exit-texts.ts';
import { parseNumber } from '../terminal/parse-options.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';
import { addFilterOptions, type FilterFlags, filterOf } from './filter-options.ts';
import { sessionTreeText } from './session-tree-text.ts';

interface Flags extends ConfigFlags, FilterFlags {
  readonly most: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions tree
  varve sessions tree --agent main --state open
  varve sessions tree --all --most 1000          every generation, of up to 1,000 conversations a branch
  varve sessions tree --json | jq '.agents[].kinds[] | {kind, tokens: .totals.promptTokens}'

${readingExits}
`;

/** Makes `varve sessions tree`. `done` is told the exit code. */
export function treeCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('tree')
    .summary('the sessions of a store as a tree, with what they weigh')
    .description(
      'Draws sessions as a tree: agent, kind, conversation, sub-agents below their parents, with the size of the last ' +
        'prompts as bars. Takes no lock.',
    )
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addFilterOptions(command)
    .option('--most <number>', 'most conversations that are drawn of one branch', parseNumber, 10)
    .option('--all', 'draw earlier generations, too')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => done(await runTree(io, flags)));
}

async function runTree(io: CliIo, flags: Flags): Promise<ExitCode> {
  const place = await openConfig(flags, io);
  const { root } = place;
  const isThere = hasStore(root);
  const tree = isThere ? await treeIn(place, flags) : emptyTree;
  await writeTo(io.stdout, `${flags.json === true ? printableJson({ root, ...tree }) : textOf(tree)}\n`);
  return exitCodes.done;

  function textOf(drawn: SessionTree): string {
    if (!isThere) return `There is no store in ${printableText(root)}.`;
    const colours = pc.createColors(usesColours(io.stdout, io.env));
    const { all = false, most } = flags;
    const isTerminal = io.stdout.isTTY === true;
    return sessionTreeText(drawn, { root, all, most, colours, isTerminal, columns: lineColumnsOf(io.stdout) });
  }
}

const emptyTree: SessionTree = {
  totals: { sessions: 0, archived: 0, messages: 0, promptTokens: 0, spentTokens: 0, updatedAt: 0 },
  agents: [],
};

async function treeIn(place: OpenedConfig, flags: FilterFlags): Promise<SessionTree> {
  await using opened = await openSessions(place);
  return await opened.sessions.tree(filterOf(flags));
}
