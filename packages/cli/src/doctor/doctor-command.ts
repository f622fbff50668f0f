import type { StoreFinding } from '@varve/stores/jsonl';
import { Command, Option } from 'commander';
import pc from 'picocolors';
import { configHelp, rootHelp } from '../config/open-config.ts';
import { defaultPluginNames } from '../replay/plugin-catalogue.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { parsePluginNames } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { createProgressBar } from '../terminal/progress-bar.ts';
import { type Diagnosis, doctorReport } from './doctor-report.ts';
import { effectiveFor, effectiveTable } from './effective-report.ts';
import { examineAgents, examineConfig } from './examine-config.ts';
import { examineSessions, type Looked } from './examine-sessions.ts';
import { examineNode, examinePlugins, examineRoot } from './examine-surroundings.ts';

interface Flags {
  readonly root?: string;
  readonly config?: string;
  readonly for?: string;
  readonly plugins: readonly string[];
  readonly json?: boolean;
}

const examples = `
Examples:
  varve doctor                           the store in VARVE_HOME, or ~/.varve
  varve doctor --root journals/
  varve doctor --config varve.config.json5
  varve doctor --for agent:main:telegram:direct:123
  varve doctor --json | jq '.findings[] | select(.level == "error")'

Exit codes: 0 no errors (warnings and notes may be there, and there may be no store yet), 1 errors were found,
2 not done, 130 interrupted.
`;

/** Makes `varve doctor`. `done` is told the exit code. */
export function doctorCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('doctor')
    .summary('examine the configuration, the store, its sessions and the plugins')
    .description(
      'Reads the configuration and everything in the store, and says what is wrong, damaged, blocked or left over, why, ' +
        'and what to do about it. ' +
        'Changes nothing and takes no lock: it may run beside anything.',
    )
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--for <key>', 'show what holds for one conversation, and where each value comes from')
    .addOption(
      new Option(
        '--plugins <names>',
        'plugins that must load where no configuration names its own, names with commas, or none',
      )
        .argParser(parsePluginNames)
        .default(defaultPluginNames, defaultPluginNames.join(',')),
    )
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => done(await runDoctor(io, flags)));
}

async function runDoctor(io: CliIo, flags: Flags): Promise<ExitCode> {
  const { plugins, json = false } = flags;
  const examined = await examineConfig(flags, io);
  const { loaded, root } = examined;
  const findings: StoreFinding[] = [...examineNode(process.versions.node), ...examined.findings];
  findings.push(...(loaded === null ? await examinePlugins(plugins) : await examineAgents(loaded)));
  const effective = flags.for === undefined ? undefined : await effectiveFor(flags.for, examined);
  const atRoot = await examineRoot(root);
  findings.push(...(atRoot ?? [noStore(root)]));
  const looked = atRoot?.length === 0 ? await examineStoreAt(root, { io, findings }) : nothing;
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { level } of findings) counts[level] += 1;
  const config = loaded === null ? null : { file: loaded.file, form: loaded.form, warnings: loaded.warnings };
  const diagnosis: Diagnosis = { root, config, findings, looked, counts };
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const table = effective === undefined ? [] : [effectiveTable(effective, { columns: lineColumnsOf(io.stdout) }), ''];
  const text = json
    ? printableJson(effective === undefined ? diagnosis : { ...diagnosis, effective })
    : [...table, doctorReport(diagnosis, { colours })].join('\n');
  await writeTo(io.stdout, `${text}\n`);
  return counts.error > 0 ? exitCodes.failures : exitCodes.done;
}

const nothing: Looked = { sessions: 0, entries: 0, bytes: 0 };

async function examineStoreAt(
  root: string,
  { io, findings }: { readonly io: CliIo; readonly findings: StoreFinding[] },
): Promise<Looked> {
  using bar = createProgressBar(io.stderr, { doing: 'examining' });
  return await examineSessions(root, {
    onFinding: (finding) => findings.push(finding),
    onProgress: (bytes) => bar.update(bytes),
    signal: io.signal,
  });
}

function noStore(root: string): StoreFinding {
  const text = `There is no store in "${root}" yet.`;
  const fix = 'Nothing: the first session makes it. Name another folder with --root, or VARVE_HOME.';
  return { level: 'note', code: 'no-store', file: root, text, fix };
}
