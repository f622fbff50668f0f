import { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook } from 'tapable';
import type { CompactRequest, Plan, Pressure, Prose, Refusal, SummarizeRequest } from '../compaction/compaction.ts';
import type { Draft } from '../draft/draft.ts';
import { VarveError } from '../errors.ts';
import type { JsonValue } from '../json-value.ts';
import type { Message, Provenance } from '../message.ts';
import type { Milliseconds } from '../units.ts';
import type { DeadlineWatch } from './deadline-watch.ts';
import type { DeliveryDecision } from './delivery.ts';
import type { HookContext } from './hook-context.ts';
import type { ResetAnswer, ResetQuestion } from './reset-question.ts';

/** A message on its way into the journal. */
export interface Ingested {
  readonly message: Message;
  readonly provenance: Provenance;
}

/** Who wrote a command, as far as the host knows. */
export interface CommandSender {
  readonly id: string;
  /** @default 'unknown' */
  readonly role?: 'owner' | 'member' | 'unknown' | undefined;
}

/** A line that begins with a slash and a word: something to do, not something to say. */
export interface Command {
  /** The word, in lower case and without the slash. */
  readonly name: string;
  /** What follows it, trimmed; empty for nothing. */
  readonly rest: string;
  /** The whole line as it was given. */
  readonly text: string;
  readonly sender: CommandSender | null;
  /** Short names of the models that may be chosen, each for a `provider/model`. @default none */
  readonly models?: Readonly<Record<string, string>> | undefined;
}

/** The answer to a command. */
export interface CommandReply {
  /** For people: plain text. */
  readonly text: string;
  /** The same for programs. @default null */
  readonly data?: JsonValue | undefined;
  /** Settings of the session that the command changes, by name: they are stored before the reply is given. @default none */
  readonly settings?: Readonly<Record<string, JsonValue>> | undefined;
}

/** A command as `/help` lists it. */
export interface CommandLine {
  /** How it is written: `/send on|off|inherit`. */
  readonly command: string;
  /** What it does, as a sentence. */
  readonly what: string;
  /**
   * Whether it may take minutes: a host then goes on with the conversation meanwhile. Not for one that asks for a reset.
   * @default false
   */
  readonly takesLong?: boolean | undefined;
}

/** For each hook, the value that goes in and what a tap may return. Returning nothing always means "no change". */
export interface HookValues {
  /**
   * Before an entry is appended; rewrites the message. Role and tool call ids must stay. To refuse, throw
   * `VARVE_INGEST_REFUSED`. On failure: the ingest fails and nothing is stored. Deadline 1 s.
   */
  ingest: { readonly input: Ingested; readonly output: Ingested };
  /** First step of an assembly, and of a compaction, which has to know how large they are; adds layers. On failure: skipped. Deadline 5 s. */
  collect: { readonly input: Draft; readonly output: Draft };
  /** After the engine; prunes, masks, recalls. On failure: skipped. Deadline 1 s. */
  shape: { readonly input: Draft; readonly output: Draft };
  /** Last step; cuts to the budget. On failure: core's window cut. Deadline 1 s. */
  fit: { readonly input: Draft; readonly output: Draft };
  /** After a turn and before each model call: the first tap that answers decides. On failure: next. Deadline 1 s. */
  shouldCompact: { readonly input: Pressure; readonly output: boolean };
  /**
   * Before the plan of a compaction; in front of a model call, which waits for nobody, it goes on beside it. On failure:
   * skipped. Deadline 180 s.
   */
  beforeCompact: { readonly input: CompactRequest; readonly output: void };
  /** Makes the plan of a compaction: the first tap that answers decides. On failure: next. Deadline 180 s. */
  compact: { readonly input: CompactRequest; readonly output: Plan | Refusal };
  /** Writes the prose of a summary: the first tap that answers decides. On failure: next. Deadline 180 s. */
  summarize: { readonly input: SummarizeRequest; readonly output: string | Prose };
  /**
   * For a line that begins with `/word`, before core's own commands: the first tap that answers decides. On failure: the
   * reply says what failed. Deadline 5 s.
   */
  command: { readonly input: Command; readonly output: CommandReply };
  /**
   * Before a message goes into a session, to ask whether it should begin a new one: the first tap that answers decides.
   * On failure: next. Deadline 1 s.
   */
  shouldReset: { readonly input: ResetQuestion; readonly output: ResetAnswer };
  /**
   * Before anything leaves a session. A tap may deny what is allowed, and nothing else. On failure: nothing leaves.
   * Deadline 1 s.
   */
  deliver: { readonly input: DeliveryDecision; readonly output: DeliveryDecision };
}

/** Name of a hook that plugins can tap. */
export type HookName = keyof HookValues;

/** What happens when a tap fails: the operation fails with it, goes on as if the tap were not there, or is denied. */
export type FailurePolicy = 'fail' | 'skip' | 'deny';

/** How core runs a hook. */
export interface HookRule {
  readonly kind: 'waterfall' | 'bail' | 'series';
  readonly onFailure: FailurePolicy;
  readonly deadlineMs: Milliseconds;
}

/** The rule of every hook. */
export const hookRules: Readonly<Record<HookName, HookRule>> = {
  ingest: { kind: 'waterfall', onFailure: 'fail', deadlineMs: 1_000 },
  collect: { kind: 'waterfall', onFailure: 'skip', deadlineMs: 5_000 },
  shape: { kind: 'waterfall', onFailure: 'skip', deadlineMs: 1_000 },
  fit: { kind: 'waterfall', onFailure: 'skip', deadlineMs: 1_000 },
  shouldCompact: { kind: 'bail', onFailure: 'skip', deadlineMs: 1_000 },
  beforeCompact: { kind: 'series', onFailure: 'skip', deadlineMs: 180_000 },
  compact: { kind: 'bail', onFailure: 'skip', deadlineMs: 180_000 },
  summarize: { kind: 'bail', onFailure: 'skip', deadlineMs: 180_000 },
  command: { kind: 'bail', onFailure: 'fail', deadlineMs: 5_000 },
  shouldReset: { kind: 'bail', onFailure: 'skip', deadlineMs: 1_000 },
  deliver: { kind: 'waterfall', onFailure: 'deny', deadlineMs: 1_000 },
};

/** A function that a plugin hangs into a hook. It may be synchronous; it is awaited either way. */
export type Tap<Name extends HookName> = (
  value: HookValues[Name]['input'],
  context: HookContext,
) => HookValues[Name]['output'] | undefined | void | Promise<HookValues[Name]['output'] | undefined | void>;

/** What plugins see of a hook. */
export interface TappableHook<Name extends HookName> {
  readonly name: Name;
  /**
   * Adds a tap; `tapName` says what it does ("cap tool output"). Taps run in the order of their plugins.
   *
   * @throws VARVE_HOOK_FROZEN  after the host has started; VARVE_TAP_BEFORE when asked to run before another tap.
   */
  tapPromise(tapName: string, tap: Tap<Name>): void;
}

/** All hooks as plugins see them. */
export type PluginHooks = { readonly [Name in HookName]: TappableHook<Name> };

/** A tap as the guard calls it. */
export interface GuardedTap {
  readonly plugin: string;
  readonly hook: HookName;
  /** What it does, as the plugin says. */
  readonly name: string;
  /** `shape: cap tool output`. */
  readonly where: string;
  readonly rule: HookRule;
  readonly tap: (value: unknown, context: HookContext) => unknown;
}

/** The taps of one hook, in the order in which they are called. */
export interface HookChain {
  readonly rule: HookRule;
  readonly taps: readonly GuardedTap[];
  /** Runs in a row in which no tap took longer than a moment; kept by the guard. */
  quickRuns: number;
  /** Who watches over its runs; `null` before one had to wait. Kept by the guard. */
  watch: DeadlineWatch | null;
}

/** Where taps hang: all that core asks of tapable, and of what may stand in its place. */
interface AnyHook {
  readonly taps: readonly { readonly guarded?: GuardedTap }[];
  tapPromise(options: { readonly name: string; readonly guarded: GuardedTap }, tap: GuardedTap['tap']): void;
}

/** The hooks of one host. */
export interface Hooks {
  /** The hooks for one plugin. */
  forPlugin(plugin: string): PluginHooks;
  /** The taps of a hook, once the host has started: always the same object. */
  chain(name: HookName): HookChain;
  isUsed(name: HookName): boolean;
  /** Lists a command that a tap answers. @throws VARVE_HOOK_FROZEN, VARVE_PLUGIN_INVALID */
  listCommand(plugin: string, line: CommandLine): void;
  /** What is listed, in the order of the plugins. */
  commands(): readonly CommandLine[];
  /** No tap can be added from now on. */
  freeze(): void;
}

/** Makes the hooks of one host. The only place that knows tapable. */
export function createHooks(): Hooks {
  const hooks = Object.fromEntries(
    Object.entries(hookRules).map(([name, rule]) => [name, createHook(rule)]),
  ) as unknown as Record<HookName, AnyHook>;
  const chains: Partial<Record<HookName, HookChain>> = {};
  const commands: CommandLine[] = [];
  let frozen = false;
  return {
    forPlugin: (plugin) => {
      const facade = (hook: HookName): TappableHook<HookName> => ({
        name: hook,
        tapPromise: (tapName: unknown, given: unknown) => {
          refuseTap({ plugin, name: hook, tapName, tap: given, frozen });
          const name = String(tapName);
          const tap = given as GuardedTap['tap'];
          const guarded = { plugin, hook, name, where: `${hook}: ${name}`, rule: hookRules[hook], tap };
          hooks[hook].tapPromise({ name: `${plugin}: ${name}`, guarded }, tap);
        },
      });
      const names = Object.keys(hookRules) as HookName[];
      return Object.freeze(Object.fromEntries(names.map((name) => [name, Object.freeze(facade(name))]))) as never;
    },
    chain: (name) => {
      chains[name] ??= {
        rule: hookRules[name],
        taps: hooks[name].taps.flatMap(({ guarded }) => guarded ?? []),
        quickRuns: 0,
        watch: null,
      };
      return chains[name];
    },
    isUsed: (name) => hooks[name].taps.length > 0,
    listCommand: (plugin, line) => {
      if (frozen) throw frozenError(`Plugin "${plugin}"`, 'no command can be listed');
      commands.push(checkedLine(plugin, line));
    },
    commands: () => commands,
    freeze: () => {
      frozen = true;
    },
  };
}

function createHook({ kind }: HookRule): AnyHook {
  type Args = [value: unknown, run: unknown];
  if (kind === 'waterfall') return new AsyncSeriesWaterfallHook<Args, unknown>(['value', 'run']) as unknown as AnyHook;
  if (kind === 'bail') return new AsyncSeriesBailHook<Args, unknown>(['value', 'run']) as unknown as AnyHook;
  return new AsyncSeriesHook<Args>(['value', 'run']) as unknown as AnyHook;
}

function refuseTap(options: { plugin: string; name: HookName; tapName: unknown; tap: unknown; frozen: boolean }): void {
  const { plugin, name, tapName, tap, frozen } = options;
  const where = `Plugin "${plugin}", hook "${name}"`;
  if (frozen) throw frozenError(where, 'no tap can be added');
  if (typeof tapName === 'object' && tapName !== null && ('before' in tapName || 'stage' in tapName)) {
    throw new VarveError('VARVE_TAP_BEFORE', `${where}: taps have no order of their own.`, {
      fix: 'Give the plugin `after: ["other"]` instead, and the tap a plain name.',
    });
  }
  if (typeof tapName === 'string' && tapName !== '' && typeof tap === 'function') return;
  throw new VarveError('VARVE_PLUGIN_INVALID', `${where}: tapPromise takes a name and a function.`, {
    fix: 'Call hooks.<hook>.tapPromise("what it does", async (value, context) => …).',
  });
}

function frozenError(where: string, what: string): VarveError {
  return new VarveError('VARVE_HOOK_FROZEN', `${where}: the host has started, ${what}.`, {
    fix: 'Tap hooks inside apply(); a new set of plugins is a new host.',
  });
}

/** The line as it was when it was listed, which may come from plain JavaScript. */
function checkedLine(plugin: string, line: unknown): CommandLine {
  const { command, what, takesLong = false } = (line ?? {}) as Partial<CommandLine>;
  const isCommand = typeof command === 'string' && /^\/[a-z][\w-]*(?: |$)/i.test(command);
  if (isCommand && typeof what === 'string' && what !== '' && typeof takesLong === 'boolean')
    return { command, what, takesLong };
  throw new VarveError('VARVE_PLUGIN_INVALID', `Plugin "${plugin}" lists something that is no command.`, {
    fix: 'Call listCommand({ command: "/word", what: "What it does, as a sentence." }).',
  });
}
