import { z } from 'zod';
import { VarveError } from '../../errors.ts';
import type { NewEntry } from '../../journal/entry.ts';
import type { JsonValue } from '../../json-value.ts';
import type { ModelRef } from '../../model-ref.ts';
import type { Command, CommandLine, CommandReply, CommandSender } from '../../plugins/hooks.ts';
import type { ToolSet } from '../../tool.ts';
import { checkOptionNames, type OptionNames } from '../known-options.ts';
import { checkShape, modelSchema, signalSchema } from '../option-checks.ts';
import { readOnlyError } from '../read-only/read-only-journal.ts';
import { runHook, type SessionRuntime } from '../session-runtime.ts';
import { withPluginTools } from '../session-tools.ts';
import { compactOnCommand } from './compact-command.ts';
import { showContext } from './context-command.ts';
import { showHelp } from './help-command.ts';
import { readCommand } from './read-command.ts';
import { showStatus } from './status-command.ts';

/** What a command is about. */
export interface CommandOptions {
  /** The model whose prompts are meant. */
  readonly model: ModelRef;
  /** The host's tools that go along with its prompts: they count, as those of plugins do by themselves. @default none */
  readonly tools?: ToolSet | undefined;
  /**
   * Who wrote it, for plugins that ask, for `/compact`, which only an owner may use, and for `/status` and `/context`, which
   * show nothing to whom nobody knows. @default nobody is known, and the host answers for who may write commands
   */
  readonly sender?: CommandSender | undefined;
  /** Commands that the host answers itself where this gives `null`: `/help` lists them. @default none */
  readonly commands?: readonly CommandLine[] | undefined;
  /** Short names of the models that a command may choose, each for a `provider/model`. @default none */
  readonly models?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a command of core works with. */
export interface CommandRun {
  readonly command: Command;
  /** Those of the host. */
  readonly commands: readonly CommandLine[];
  readonly request: {
    readonly model: ModelRef;
    readonly tools: readonly JsonValue[];
    readonly signal?: AbortSignal | undefined;
  };
}

type BuiltIn = (runtime: SessionRuntime, run: CommandRun) => Promise<CommandReply>;

const builtIns: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ['compact', compactOnCommand],
  ['status', showStatus],
  ['context', showContext],
  ['help', showHelp],
]);

/** Those that change nothing: the only ones of a session that is only looked at, since a plugin may do anything. */
const looking: ReadonlySet<string> = new Set(['status', 'context', 'help']);

/** Those that show what others have said, and what it took. */
const showing: ReadonlySet<string> = new Set(['status', 'context']);

const refused = { status: 'refused' } as const;

const names: OptionNames<CommandOptions> = {
  model: true,
  tools: true,
  sender: true,
  commands: true,
  models: true,
  signal: true,
};

const textSchema = z.object({ text: z.string() });

const schema = z.object({
  model: modelSchema,
  tools: z
    .array(z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.looseObject({}) }))
    .optional(),
  sender: z.object({ id: z.string().min(1), role: z.enum(['owner', 'member', 'unknown']).optional() }).optional(),
  commands: z.array(z.object({ command: z.string().min(1), what: z.string().min(1) })).optional(),
  models: z.record(z.string(), z.string().min(1)).optional(),
  signal: signalSchema.optional(),
});

/**
 * Answers a command: plugins are asked first, then core's own are tried. Nothing of it becomes a message.
 *
 * @throws VARVE_OPTION_INVALID, VARVE_ABORTED, VARVE_STORE_READ_ONLY, and what a store throws; a plugin's failure is told in the reply.
 */
export async function answerCommand(
  runtime: SessionRuntime,
  text: string,
  options: CommandOptions,
): Promise<CommandReply | null> {
  const fix = 'Give a text, and { model: { provider, model } }.';
  checkShape({ text }, { schema: textSchema, fix });
  checkShape(options, { schema, fix });
  checkOptionNames(options, { what: 'session.command', names });
  const { model, tools = [], sender = null, commands = [], models, signal } = options;
  const read = readCommand(text, sender);
  if (read === null) return null;
  const command = models === undefined ? read : { ...read, models };
  const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const request = withPluginTools(runtime, { model, tools: definitions as unknown as readonly JsonValue[], signal });
  try {
    if (runtime.isReadOnly && !looking.has(command.name)) throw readOnlyError(runtime.sessionId);
    const reply = runtime.isReadOnly ? null : await askPlugins(runtime, { command, model, signal });
    if (reply !== null) return reply;
    if (isHidden(command)) return { text: `Nobody here knows you, so /${command.name} shows nothing.`, data: refused };
    return (await builtIns.get(command.name)?.(runtime, { command, commands, request })) ?? null;
  } catch (error) {
    if (!isToTell(error)) throw error;
    return { text: `/${command.name} failed. ${error.message} ${error.fix}`, data: { error: error.code } };
  }
}

/** The answer of a plugin, once what it records and the settings that it changes are on their way to the journal. */
async function askPlugins(
  runtime: SessionRuntime,
  ask: { readonly command: Command; readonly model: ModelRef; readonly signal: AbortSignal | undefined },
): Promise<CommandReply | null> {
  const { command, model, signal } = ask;
  const records: NewEntry[] = [];
  const facts = { model, budget: null, pressure: 'none', query: null, signal, records } as const;
  const reply = await runHook(runtime, { hook: 'command', value: command }, facts);
  const { settings = {}, ...told } = reply ?? { text: '' };
  const changes = Object.entries(settings).map(([name, value]): NewEntry => ({ type: 'setting', name, value }));
  // Settings hold when the reply says so; what is only recorded can wait for the next append.
  if (changes.length > 0) await runtime.journal.append([...records, ...changes]);
  else for (const record of records) runtime.journal.defer(record);
  return reply === undefined ? null : told;
}

/** What others have said is not shown to somebody whom nobody knows; where no sender is named, the host answers for that. */
function isHidden({ name, sender }: Command): boolean {
  return sender !== null && (sender.role ?? 'unknown') === 'unknown' && showing.has(name);
}

/** Failures that a person who wrote the command can read and do something about. */
function isToTell(error: unknown): error is VarveError {
  return VarveError.is(error, 'VARVE_PLUGIN_FAILED') || VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE');
}
