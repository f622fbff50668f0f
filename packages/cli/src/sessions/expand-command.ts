import { VarveError } from '@varve/core';
import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { findEntry } from '../store/find-entry.ts';
import { openReader } from '../store/open-reader.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { readingExits } from '../terminal/exit-texts.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { entryLine } from './entry-line.ts';

interface Flags extends ConfigFlags {
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions expand agent:main:main            what the newest summary stands for
  varve sessions expand agent:main:main 419        what compaction #419 stands for
  varve sessions expand agent:main:main --json | jq -r 'select(.type == "message").message.role'

${readingExits}
`;

/** Makes `varve sessions expand`. `done` is told the exit code. */
export function expandCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('expand')
    .summary('the entries that a compaction stands for, whole')
    .description('Prints the entries that a compaction covers: nothing of them is lost. Takes no lock.')
    .argument('<session>', 'session id, the beginning of one, or a key')
    .argument('[compaction]', 'its number or id (default: the newest one that is in force)')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--json', 'print each entry as one line of JSON')
    .addHelpText('after', examples)
    .action(async (session: string, compaction: string | undefined, flags: Flags) =>
      done(await runExpand(io, { session, compaction }, flags)),
    );
}

async function runExpand(
  io: CliIo,
  named: { readonly session: string; readonly compaction: string | undefined },
  flags: Flags,
): Promise<ExitCode> {
  const { json = false } = flags;
  await using reader = await openReader(await openConfig(flags, io), named.session);
  const { session } = reader;
  const compaction =
    named.compaction === undefined ? session.view.compaction() : await findEntry(session, named.compaction);
  if (compaction === null) {
    throw new VarveError('VARVE_COMPACTION_UNKNOWN', `Session "${session.sessionId}" has no compaction in force.`, {
      fix: 'Nothing is left out of its prompts; varve sessions tail shows its entries.',
    });
  }
  const options = { columns: lineColumnsOf(io.stdout), colours: pc.createColors(usesColours(io.stdout, io.env)) };
  for await (const entry of session.expand(compaction.id)) {
    await writeTo(io.stdout, `${json ? printableJson(entry) : entryLine(entry, options)}\n`);
    if (io.signal?.aborted === true) return exitCodes.interrupted;
  }
  return exitCodes.done;
}
