import {
  type CompactOptions,
  type CompactOutcome,
  isRefusal,
  type Plan,
  type Refusal,
  type Session,
  VarveError,
} from '@varve/core';
import { Command, Option } from 'commander';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { addGatewayOptions, type GatewayFlags, type RemoteGateway, remoteGateway } from '../remote/remote-gateway.ts';
import { remoteCompact, remotePlan } from '../remote/remote-sessions.ts';
import { modelOfSetting } from '../replay/call-model.ts';
import { defaultPluginNames, loadPlugins, pluginNames } from '../replay/plugin-catalogue.ts';
import { openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { workWith } from '../store/work-with.ts';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { longNumber } from '../terminal/format-number.ts';
import { parseBudget, parsePluginNames, usage } from '../terminal/parse-options.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';

interface Flags extends ConfigFlags, GatewayFlags {
  readonly focus?: string;
  readonly model?: string;
  readonly budget?: number;
  readonly plugins: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions compact agent:main:main
  varve sessions compact agent:main:main --focus "the decisions about storage"
  varve sessions compact agent:main:main --budget 32k --dry-run      what it would do
  varve sessions undo agent:main:main                                takes it back

No model has a part in it: the summary is the digest that Varve keeps without one. Messages stay in the journal. Through a
gateway, its plugins, models and budgets do it: --plugins, --model and --budget say nothing then.

Exit codes: 0 compacted, or nothing to do; 1 it was refused or failed; 2 not done; 130 interrupted.
`;

/** Makes `varve sessions compact`. `done` is told the exit code. */
export function compactCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('compact')
    .summary('compact a session now')
    .description('Compacts the older part of a session, as /compact does.')
    .argument('<session>', 'session id, the beginning of one, or a key')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addGatewayOptions(command)
    .option('--focus <text>', 'what the summary should pay attention to')
    .option('--model <provider/model>', 'for which model (default: the one that the session uses)')
    .option('--budget <tokens>', 'what a prompt may take, as 32k or 32000', parseBudget)
    .addOption(
      new Option('--plugins <names>', `some of ${pluginNames.join(', ')}, with commas, or none`)
        .argParser(parsePluginNames)
        .default(defaultPluginNames, defaultPluginNames.join(',')),
    )
    .option('--dry-run', 'say what it would do, and do nothing; takes no lock')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (session: string, flags: Flags) => done(await runCompact(io, session, flags)));
}

async function runCompact(io: CliIo, name: string, flags: Flags): Promise<ExitCode> {
  const { dryRun = false, budget } = flags;
  const gateway = await remoteGateway(flags, io);
  if (gateway !== null) return compactRemote(gateway, { io, name, flags });
  const plugins = await loadPlugins(flags.plugins, { cacheTtl: '5m' });
  const limit = budget === undefined || budget === Infinity ? {} : { budget: { inputTokens: budget } };
  await using opened = await openSessions(await openConfig(flags, io), { plugins, ...limit });
  const record = await resolveSession(opened, name);
  const { sessionId } = record;
  if (dryRun) {
    await using session = await opened.host.open(sessionId, { readOnly: true });
    return sayPlan(await session.plan('manual', optionsOf(session, flags, io)), { io, sessionId, flags });
  }
  const outcome = await workWith(opened, record, (session) => session.compact('manual', optionsOf(session, flags, io)));
  return sayOutcome(outcome, { io, sessionId, flags });
}

/** The same through a gateway. */
async function compactRemote(
  gateway: RemoteGateway,
  { io, name, flags }: { readonly io: CliIo; readonly name: string; readonly flags: Flags },
): Promise<ExitCode> {
  const { focus, dryRun = false } = flags;
  const saying = { io, sessionId: name, flags };
  if (dryRun) return sayPlan(await remotePlan(gateway, name, focus), saying);
  return sayOutcome(await remoteCompact(gateway, name, focus), saying);
}

interface Saying {
  readonly io: CliIo;
  readonly sessionId: string;
  readonly flags: Flags;
}

async function sayPlan(plan: Plan | Refusal, { io, sessionId, flags }: Saying): Promise<ExitCode> {
  await writeTo(io.stdout, `${flags.json === true ? printableJson({ sessionId, plan }) : planText(plan)}\n`);
  return isRefusal(plan) && plan.refused === 'irreducible' ? exitCodes.failures : exitCodes.done;
}

async function sayOutcome(outcome: CompactOutcome, { io, sessionId, flags }: Saying): Promise<ExitCode> {
  const text = flags.json === true ? printableJson({ sessionId, ...outcome }) : outcomeText(outcome);
  await writeTo(io.stdout, `${text}\n`);
  if (outcome.status === 'aborted') return exitCodes.interrupted;
  const isFine = outcome.status === 'compacted' || outcome.status === 'nothing-to-do';
  return isFine ? exitCodes.done : exitCodes.failures;
}

function optionsOf({ view }: Session, { model, focus }: Flags, { signal }: CliIo): CompactOptions {
  const { model: chosen } = view.settings;
  const named = model ?? (typeof chosen === 'string' ? chosen : undefined) ?? view.model ?? undefined;
  if (named === undefined) {
    throw usage('Nobody knows which model the session is for.', 'Give --model, such as anthropic/claude-sonnet-5-5.');
  }
  const ref = modelOfSetting(named);
  if (ref === null) {
    throw new VarveError('VARVE_USAGE', `"${named}" names no model.`, {
      fix: 'Give provider/model, such as anthropic/claude-sonnet-5-5.',
    });
  }
  return { model: ref, ...(focus === undefined ? {} : { instructions: focus }), ...(signal && { signal }) };
}

function planText(plan: Plan | Refusal): string {
  if (isRefusal(plan)) return printableText(`${plan.refused}: ${plan.why}`);
  const { range, expect, by } = plan;
  const sizes = `${longNumber(expect.tokensBefore)} to about ${longNumber(expect.tokensAfter)} tokens`;
  return printableText(`would compact #${range.from.seq} to #${range.to.seq}: ${sizes}, by ${by.plugin}`);
}

function outcomeText({ status, why, entry, tokensBefore, tokensAfter }: CompactOutcome): string {
  if (entry === null) return printableText(`${status}: ${why}`);
  const { range, by, seq } = entry;
  const sizes = `${longNumber(tokensBefore)} to ${longNumber(tokensAfter)} tokens`;
  const text = `compacted #${range.from.seq} to #${range.to.seq}: ${sizes}, by ${by.plugin}; #${seq} takes it back`;
  return printableText(text);
}
