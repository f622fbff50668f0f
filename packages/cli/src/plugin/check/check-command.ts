import { resolve } from 'node:path';
import type { ScoreCard, SubjectKind } from '@varve/testkit';
import { Command, InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';
import { type CliIo, usesColours, writeTo } from '../../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../../terminal/exit-code.ts';
import { parseGap } from '../../terminal/parse-options.ts';
import { printableJson } from '../../terminal/printable-text.ts';
import { createStepBar } from '../../terminal/progress-bar.ts';
import type { CheckJob } from './check-job.ts';
import { type FoundModule, findModule } from './find-module.ts';
import { readExpectations } from './read-manifest.ts';
import { runCheck } from './run-check.ts';
import { scoreCardText } from './score-card-text.ts';

interface Flags {
  readonly kind?: SubjectKind;
  readonly export?: readonly string[];
  readonly options?: unknown;
  readonly rewrites?: boolean;
  readonly expectFail?: string;
  readonly importTimeout: number;
  readonly timeout: number;
  readonly json?: boolean;
}

const help = `
What is checked: the package in a folder, by what its package.json exports; a file; or an installed package. Plugins are
found by themselves, with the engines that they register, and so are subjects of adapters and model ports; a store is a
function that opens it, and has to be asked for, as is a function that gives the subject of a model port.
It has to be built. It runs in a process of its own.

A package may say in its package.json how it is checked, in a field "varve":
  kind         plugin, engine, store, adapter or model-port, as --kind
  exports      names of the exports that are checked, as --export
  check        a module that is checked in place of what the package exports
  options      options that plugins are made with, as --options
  rewrites     true where messages are rewritten on purpose, as --rewrites
  expectFail   accepted deviations: the name of a case, and the reason

Examples:
  varve plugin check
  varve plugin check plugins/notes
  varve plugin check dist/index.js --export notes --options '{"limit":3}'
  varve plugin check @varve/core --kind store --export memoryStore
  varve plugin check --json | jq '.cards[].cases[] | select(.status == "failed")'

Exit codes: 0 every case passed, was left out or is an accepted deviation; 1 a case failed, or was not run; 2 nothing
was checked, as where it cannot be imported; 130 interrupted.
`;

/** Makes `varve plugin check`. `done` is told the exit code. */
export function checkCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('check')
    .summary('hold a plugin, an engine, a store, an adapter or a model port against its contract')
    .description('Tries out a plugin, or what else has a contract, by every case of it, and prints a score card.')
    .argument('[module]', 'folder of a package, file, or name of an installed package', '.')
    .addOption(
      new Option('--kind <kind>', 'what it is (default: what is found)').choices([
        'plugin',
        'engine',
        'store',
        'adapter',
        'model-port',
      ]),
    )
    .addOption(
      new Option('--export <name>', 'check this export alone; may be given several times').argParser(
        (name: string, before: readonly string[] = []) => [...before, name],
      ),
    )
    .addOption(new Option('--options <json>', 'options that plugins are made with').argParser(parseJson))
    .option('--rewrites', 'its plugins change what is stored, on purpose')
    .option('--expect-fail <file>', 'JSON file of accepted deviations: the name of a case, and the reason')
    .addOption(new Option('--timeout <time>', 'how long one case may take').argParser(parseGap).default(20_000, '20s'))
    .addOption(
      new Option('--import-timeout <time>', 'how long importing it may take')
        .argParser(parseGap)
        .default(20_000, '20s'),
    )
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', help)
    .action(async (target: string, flags: Flags) => done(await runCheckCommand(io, target, flags)));
}

async function runCheckCommand(io: CliIo, target: string, flags: Flags): Promise<ExitCode> {
  const cwd = io.cwd ?? process.cwd();
  const found = await findModule(target, { cwd });
  const job = await jobOf(found, { flags, cwd });
  const cards = await checked(job, io);
  const ok = cards.every((card) => card.ok);
  const { folder, entry } = job;
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const text = flags.json
    ? printableJson({ module: entry, folder, ok, cards })
    : cards.map((card) => scoreCardText(card, { colours })).join('\n\n');
  await writeTo(io.stdout, `${text}\n`);
  return ok ? exitCodes.done : exitCodes.failures;
}

async function jobOf(
  { entry, folder, packageName, settings }: FoundModule,
  { flags, cwd }: { readonly flags: Flags; readonly cwd: string },
): Promise<CheckJob> {
  const { kind, importTimeout: importMs, timeout: timeoutMs, expectFail: file } = flags;
  const own = file === undefined ? {} : await readExpectations(resolve(cwd, file));
  return {
    entry,
    folder,
    packageName,
    kind: kind ?? settings.kind ?? null,
    exports: flags.export ?? settings.exports ?? [],
    options: flags.options ?? settings.options ?? null,
    rewrites: flags.rewrites ?? settings.rewrites ?? false,
    expectFail: { ...settings.expectFail, ...own },
    importMs,
    timeoutMs,
  };
}

async function checked(job: CheckJob, { env, signal, stderr }: CliIo): Promise<readonly ScoreCard[]> {
  using bar = createStepBar(stderr);
  return await runCheck(job, { env, signal, onProgress: (step) => bar.update(step) });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It is not JSON.');
  }
}
