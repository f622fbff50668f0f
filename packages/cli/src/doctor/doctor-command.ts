import type { StoreFinding, StoreRepair } from '@varve/stores/jsonl';
import { Command, Option } from 'commander';
import pc from 'picocolors';
import { configHelp, rootHelp } from '../config/open-config.ts';
import { defaultPluginNames } from '../replay/plugin-catalogue.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { parsePluginNames } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { createProgressBar, createStepBar } from '../terminal/progress-bar.ts';
import { type Diagnosis, doctorReport } from './doctor-report.ts';
import { effectiveFor, effectiveTable } from './effective-report.ts';
import { examineAgents, examineConfig } from './examine-config.ts';
import { examineSessions, type Looked } from './examine-sessions.ts';
import { examineNode, examinePlugins, examineRoot } from './examine-surroundings.ts';
import { repairFindings, repairsText } from './repair-findings.ts';

interface Flags {
  readonly root?: string;
  readonly config?: string;
  readonly for?: string;
  readonly plugins: readonly string[];
  readonly fix?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve doctor                           the store in VARVE_HOME, or ~/.varve
  varve doctor --root journals/
  varve doctor --config varve.config.json5
  varve doctor --for agent:main:telegram:direct:123
  varve doctor --fix                     do what is safe about it, and say what is left
  varve doctor --json | jq '.findings[] | select(.level == "error")'

Without --fix nothing is changed: each finding says what --fix would do about it, if anything. Every byte that cannot be
read is in a file of quarantine before a journal or an index is written anew; a session that another process writes to is
left alone. A second --fix finds nothing to do, also after one that was stopped.

Exit codes: 0 no errors (warnings and notes may be there, and there may be no store yet), 1 errors were found; with --fix,
errors are left or a repair failed; 2 not done, 130 interrupted.
`;

/** Makes `varve doctor`. `done` is told the exit code. */
export function doctorCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('doctor')
    .summary('examine the configuration, the store, its sessions and the plugins')
    .description(
      'Reads the configuration and everything in the store, and says what is wrong, damaged, blocked or left over, why, ' +
        'and what to do about it. ' +
        'Changes nothing and takes no lock, unless --fix is given: it may run beside anything.',
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
    .option('--fix', 'repair what can be repaired without losing a byte, and examine the store again')
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
  const isThere = atRoot?.length === 0;
  const store = isThere ? await examineStoreAt(root, io) : nothing;
  const repairs = flags.fix === true && isThere ? await repairStoreAt(root, { io, findings: store.findings }) : null;
  const left = repairs === null || repairs.length === 0 ? store : await examineStoreAt(root, io);
  findings.push(...left.findings);
  const { looked } = left;
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { level } of findings) counts[level] += 1;
  const config = loaded === null ? null : { file: loaded.file, form: loaded.form, warnings: loaded.warnings };
  const diagnosis: Diagnosis = { root, config, findings, looked, counts, repairs };
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const table = effective === undefined ? [] : [effectiveTable(effective, { columns: lineColumnsOf(io.stdout) }), ''];
  const text = json
    ? printableJson(effective === undefined ? diagnosis : { ...diagnosis, effective })
    : [
        ...table,
        ...(repairs === null ? [] : [repairsText(repairs, { colours })]),
        doctorReport(diagnosis, { colours }),
      ].join('\n');
  await writeTo(io.stdout, `${text}\n`);
  const isWrong = counts.error > 0 || repairs?.some(({ outcome }) => outcome === 'failed') === true;
  return isWrong ? exitCodes.failures : exitCodes.done;
}

/** A store that was looked at. */
interface ExaminedStore {
  readonly findings: readonly StoreFinding[];
  readonly looked: Looked;
}

const nothing: ExaminedStore = { findings: [], looked: { sessions: 0, entries: 0, bytes: 0 } };

async function examineStoreAt(root: string, io: CliIo): Promise<ExaminedStore> {
  using bar = createProgressBar(io.stderr, { doing: 'examining' });
  const findings: StoreFinding[] = [];
  const looked = await examineSessions(root, {
    onFinding: (finding) => findings.push(finding),
    onProgress: (bytes) => bar.update(bytes),
    signal: io.signal,
  });
  return { findings, looked };
}

async function repairStoreAt(
  root: string,
  { io, findings }: { readonly io: CliIo; readonly findings: readonly StoreFinding[] },
): Promise<readonly StoreRepair[]> {
  using bar = createStepBar(io.stderr);
  const onProgress = (seen: { readonly done: number; readonly of: number }): void =>
    bar.update({ ...seen, doing: 'repairing' });
  return await repairFindings(root, { findings, onProgress, signal: io.signal });
}

function noStore(root: string): StoreFinding {
  const text = `There is no store in "${root}" yet.`;
  const fix = 'Nothing: the first session makes it. Name another folder with --root, or VARVE_HOME.';
  return { level: 'note', code: 'no-store', file: root, text, fix };
}
