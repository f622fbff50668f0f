import { relative, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { type CliIo, writeTo } from '../../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../../terminal/exit-code.ts';
import { usage } from '../../terminal/parse-options.ts';
import { printableJson, printableText } from '../../terminal/printable-text.ts';
import { scaffoldFiles } from './scaffold-files.ts';
import { type ScaffoldKind, scaffoldName } from './scaffold-name.ts';
import { writeScaffold } from './write-scaffold.ts';

interface Flags {
  readonly kind: ScaffoldKind;
  readonly folder?: string;
  readonly json?: boolean;
}

const help = `
The name is that of the package, as npm takes it. With a scope, the plugin is named after it: @acme/varve-notes has the
plugin acme/notes. Nothing is installed, and nothing that is there is replaced.

Examples:
  varve plugin new @acme/varve-notes
  varve plugin new varve-topics --kind engine
  varve plugin new varve-redis --kind store --folder packages/redis

Exit codes: 0 done, 2 not done (no such name, a folder that is not empty, a disk that refuses).
`;

/** Makes `varve plugin new`. `done` is told the exit code. */
export function newCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('new')
    .summary('begin a plugin, an engine or a store')
    .description(
      'Makes a package that installs, compiles, tests itself and passes its contract before a line is changed.',
    )
    .argument('<name>', 'name of the package')
    .addOption(new Option('--kind <kind>', 'what to begin').choices(['plugin', 'engine', 'store']).default('plugin'))
    .option('--folder <folder>', 'where to make it (default: a folder of that name, in this one)')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', help)
    .action(async (name: string, flags: Flags) => done(await runNew(io, name, flags)));
}

async function runNew(io: CliIo, given: string, { kind, folder, json = false }: Flags): Promise<ExitCode> {
  const name = scaffoldName(given, kind);
  if (folder === '') throw usage('--folder names no folder.', 'Give a folder to --folder, such as ".".');
  const cwd = io.cwd ?? process.cwd();
  const place = resolve(cwd, folder ?? name.folder);
  const files = await scaffoldFiles(name, kind);
  await writeScaffold(place, files);
  const paths = files.map(({ path }) => path);
  const path = relative(cwd, place) || '.';
  const shown = path.startsWith('..') ? place : path;
  const text = json
    ? printableJson({ kind, ...name, folder: place, files: paths })
    : [
        `Made the ${kind} ${name.partName} in ${printableText(shown)}:`,
        ...paths.map((path) => `  ${path}`),
        '',
        'Next:',
        ...(shown === '.' ? [] : [`  cd ${printableText(shown)}`]),
        '  npm install',
        '  npm test             compiles it, and tries it out by its contract',
        '  npm run check        the same as a score card',
        `  then write src/index.ts; the guide is "Write ${kind === 'engine' ? 'an' : 'a'} ${kind}"`,
      ].join('\n');
  await writeTo(io.stdout, `${text}\n`);
  return exitCodes.done;
}
