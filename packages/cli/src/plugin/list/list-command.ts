import type { ModelPort, ModelRef, Plugin } from '@varve/core';
import { defaultAgentOf } from '@varve/sessions/config';
import { Command } from 'commander';
import { hostOptionsOf } from '../../config/host-options-of.ts';
import { configHelp, openConfig } from '../../config/open-config.ts';
import { type CliIo, lineColumnsOf, writeTo } from '../../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../../terminal/exit-code.ts';
import { plainTable } from '../../terminal/plain-table.ts';
import { printableJson, printableText } from '../../terminal/printable-text.ts';
import { type StartedPlugin, startWatched } from './start-watched.ts';

interface Flags {
  readonly config?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

const help = `
Plugins run as they are listed, each behind those that it has to come after. The plugins are started on a store in memory
and stopped again; no model is asked.

Examples:
  varve plugin list
  varve plugin list --config varve.config.json5 --agent ada
  varve plugin list --json | jq '.plugins[] | [.name, .startMs]'

Exit codes: 0 done, 2 not done (a configuration that cannot be read, plugins that do not start).
`;

/** Makes `varve plugin list`. `done` is told the exit code. */
export function listPluginsCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('list')
    .summary('the plugins of the configuration, in the order in which they run')
    .description(
      'Starts the plugins of an agent, and says in which order they run and why, what they tap, and how long it took.',
    )
    .option('--config <file>', configHelp)
    .option('--agent <id>', 'whose plugins (default: the agent that messages go to by default)')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', help)
    .action(async (flags: Flags) => done(await runList(io, flags)));
}

async function runList(io: CliIo, { config: file, agent, json = false }: Flags): Promise<ExitCode> {
  const { loaded } = await openConfig({ config: file }, io);
  const config = loaded?.config ?? {};
  const agentId = agent ?? defaultAgentOf(config);
  const { plugins = [], ...options } = hostOptionsOf(config, { agentId, portOf: portWithoutModel });
  const started = await startWatched(plugins as readonly Plugin[], options);
  const place = { config: loaded?.file ?? null, agentId };
  const text = json ? printableJson({ ...place, plugins: started }) : listText(started, { ...place, io });
  await writeTo(io.stdout, `${text}\n`);
  return exitCodes.done;
}

function listText(
  plugins: readonly StartedPlugin[],
  { config, agentId, io }: { readonly config: string | null; readonly agentId: string; readonly io: CliIo },
): string {
  const by = config === null ? 'without a configuration' : `by ${printableText(config)}`;
  const rows = plugins.map(({ name, version, listed, why, taps, engines, startMs }, index) => {
    const hooks = [...new Set(taps.map(({ hook }) => hook)), ...engines.map((id) => `engine ${id}`)];
    return [
      String(index + 1),
      printableText(name),
      printableText(version),
      startMs.toFixed(1),
      String(listed),
      printableText(why),
      printableText(hooks.join(', ') || '–'),
    ];
  });
  const head = ['run', 'plugin', 'version', 'start ms', 'listed', 'why there', 'hooks'];
  const total = plugins.reduce((sum, { startMs }) => sum + startMs, 0);
  return [
    `The plugins of agent ${printableText(agentId)}, ${by}:`,
    plainTable({ head, rows, left: [1, 2, 5, 6], columns: lineColumnsOf(io.stdout) }),
    `${plugins.length} plugins, ${plugins.reduce((sum, { taps }) => sum + taps.length, 0)} taps, started in ${total.toFixed(1)} ms`,
  ].join('\n');
}

function portWithoutModel(ref: ModelRef): ModelPort {
  return { ref, generate: () => Promise.reject(new Error('No model is asked while plugins are listed.')) };
}
