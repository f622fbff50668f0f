import type { Clock } from '../clock.ts';
import type { CompactRequest } from '../compaction/compaction.ts';
import { checkAnswer } from '../compaction/plan-check.ts';
import type { Draft } from '../draft/draft.ts';
import { createDraft, stateOfDraft } from '../draft/draft-operations.ts';
import { messageOfError, VarveError } from '../errors.ts';
import { messageSchema, provenanceSchema, toolCallsOfMessage } from '../message.ts';
import type { Milliseconds } from '../units.ts';
import type { EventBus, HostEvents } from './events.ts';
import type { HealthRecord } from './health.ts';
import type { HookContext } from './hook-context.ts';
import { type GuardedTap, type HookName, type HookRule, hookRules, type Ingested } from './hooks.ts';
import { revocable } from './revocable-context.ts';

/** One run of a hook: what its taps share. Made by the session for each run. */
export interface GuardedRun {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly health: HealthRecord;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** The context of one plugin's tap, without the parts that the guard owns. */
  contextFor(plugin: string): Omit<HookContext, 'signal' | 'deadline'>;
}

/**
 * Wraps a tap: it is awaited, bound to a deadline, handed a context that dies with it, checked in what it returns,
 * timed and reported under its plugin's name. The only path into the taps of plugins.
 */
export function guardTap(plugin: string, hook: HookName, { name, tap }: { name: string; tap: unknown }): GuardedTap {
  const rule = hookRules[hook];
  const where = `${hook}: ${name}`;
  const guarded = async (value: unknown, run: GuardedRun): Promise<unknown> => {
    const breaker = run.health.breakerOf(plugin, where);
    if (rule.onFailure === 'skip' && !breaker.allows(run.clock.now())) return undefined;
    const startedAt = run.clock.now();
    const input = inputFor(value, plugin);
    try {
      const output = await callWithDeadline((context) => (tap as Callable)(input, context), {
        plugin,
        where,
        rule,
        run,
      });
      const checked = output === undefined ? undefined : await checkOutput(output, { hook, input });
      breaker.succeeded();
      const ms = run.clock.now() - startedAt;
      run.events.emit('tap-finished', {
        ...tapEvent(),
        ms,
        ...draftFacts(input, { output: checked, events: run.events }),
      });
      return checked;
    } catch (error) {
      if (run.signal?.aborted === true && VarveError.is(error, 'VARVE_ABORTED')) throw error;
      if (VarveError.is(error, 'VARVE_INGEST_REFUSED') && hook === 'ingest') throw error;
      run.health.failed(plugin, where, { error, at: run.clock.now(), skips: rule.onFailure === 'skip' });
      run.events.emit('plugin-failed', { ...tapEvent(), error: messageOfError(error) });
      if (rule.onFailure === 'skip') return undefined;
      throw new VarveError('VARVE_PLUGIN_FAILED', `Plugin "${plugin}" failed in ${where}: ${messageOfError(error)}`, {
        fix: `Fix or remove the plugin "${plugin}"; nothing was stored.`,
        cause: error,
        details: { plugin, hook },
      });
    }

    function tapEvent(): { sessionId: string; plugin: string; hook: HookName; tap: string } {
      return { sessionId: run.sessionId, plugin, hook, tap: name };
    }
  };
  return guarded as GuardedTap;
}

/** What a tap of a draft hook did to the draft; the comparison is made only when somebody wants to know. */
function draftFacts(
  input: unknown,
  { output = input, events }: { readonly output: unknown; readonly events: EventBus },
): Pick<HostEvents['tap-finished'], 'tokensBefore' | 'tokensAfter' | 'changes'> {
  if (!isDraft(input) || !isDraft(output)) return {};
  const sizes = { tokensBefore: input.tokens, tokensAfter: output.tokens };
  return events.hasListeners('tap-finished') ? { ...sizes, changes: output.diff(input).changes } : sizes;
}

type Callable = (value: unknown, context: HookContext) => unknown;

/**
 * Calls code of a plugin with a context, and gives up at the deadline or when the caller aborts. The context is revoked
 * when the call is over, however it ended.
 *
 * @throws VARVE_TAP_TIMEOUT  at the deadline; VARVE_ABORTED when the caller aborted; else what the code threw.
 */
export async function callWithDeadline<Result>(
  call: (context: HookContext) => Result | Promise<Result>,
  options: {
    readonly plugin: string;
    readonly where: string;
    readonly rule: { readonly deadlineMs: Milliseconds };
    readonly run: GuardedRun;
  },
): Promise<Result> {
  const { plugin, where, rule, run } = options;
  const controller = new AbortController();
  const { context, revoke } = revocable(
    {
      ...run.contextFor(plugin),
      signal: controller.signal,
      deadline: run.clock.now() + rule.deadlineMs,
    },
    `${plugin}, ${where}`,
  );
  let stop = (): void => undefined;
  const limit = new Promise<never>((_, reject) => {
    const expire = (error: VarveError): void => {
      controller.abort(error);
      reject(error);
    };
    const cancel = run.clock.after(rule.deadlineMs, () => expire(timeout({ plugin, where, rule })));
    const onAbort = (): void => expire(aborted(run.signal));
    run.signal?.addEventListener('abort', onAbort, { once: true });
    if (run.signal?.aborted === true) onAbort();
    stop = () => {
      cancel();
      run.signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([(async () => call(context))(), limit]);
  } finally {
    stop();
    revoke();
  }
}

function timeout(options: { plugin: string; where: string; rule: Pick<HookRule, 'deadlineMs'> }): VarveError {
  const { plugin, where, rule } = options;
  return new VarveError('VARVE_TAP_TIMEOUT', `"${plugin}" did not finish ${where} within ${rule.deadlineMs} ms.`, {
    fix: 'Do less in the tap, and pass context.signal to whatever it waits for.',
  });
}

function aborted(signal: AbortSignal | undefined): VarveError {
  return new VarveError('VARVE_ABORTED', 'The operation was aborted by its caller.', {
    fix: 'Call again without aborting the signal.',
    cause: signal?.reason,
  });
}

/** A draft is handed to a tap in the plugin's name, so that each verdict says who gave it. */
function inputFor(value: unknown, plugin: string): unknown {
  return isDraft(value) ? createDraft({ ...stateOfDraft(value), actor: plugin }) : value;
}

function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && 'addLayer' in value;
}

function checkOutput(output: unknown, { hook, input }: { hook: HookName; input: unknown }): unknown {
  if (hook === 'collect' || hook === 'shape' || hook === 'fit') return checkDraft(output, input);
  if (hook === 'ingest') return checkIngested(output, input as Ingested);
  if (hook === 'shouldCompact' && typeof output !== 'boolean') throw wrongShape('a boolean', output);
  if (hook === 'summarize' && typeof output !== 'string') throw wrongShape('a string', output);
  if (hook === 'compact') return checkAnswer(output, input as CompactRequest);
  return output;
}

/**
 * A draft must come from this very assembly: one that a plugin or engine kept from an earlier one is out of date.
 *
 * @throws VARVE_DRAFT_FOREIGN
 */
export function checkDraft(output: unknown, input: unknown): Draft {
  const state = stateOfDraft(output);
  if (state.assembly === stateOfDraft(input).assembly) return output as Draft;
  throw new VarveError('VARVE_DRAFT_FOREIGN', 'The draft belongs to another assembly.', {
    fix: 'Return the draft that you were given, or what one of its operations returned.',
  });
}

/** A rewritten message keeps its role and its tool call ids: otherwise a call could lose its result. */
function checkIngested(output: unknown, input: Ingested): unknown {
  const { message, provenance } = (typeof output === 'object' && output !== null ? output : {}) as Partial<Ingested>;
  const parsed = messageSchema.safeParse(message);
  if (!parsed.success || message === undefined) throw wrongShape('{ message, provenance }', output);
  const checked = provenanceSchema.safeParse(provenance ?? input.provenance);
  if (!checked.success) throw wrongShape('{ message, provenance }', output);
  const same = message.role === input.message.role && toolIds(message) === toolIds(input.message);
  if (same) return { message, provenance: provenance ?? input.provenance };
  throw new VarveError('VARVE_MESSAGE_INVALID', 'The rewritten message has another role or other tool call ids.', {
    fix: 'Change texts only; to refuse a message, throw VARVE_INGEST_REFUSED.',
  });
}

function toolIds(message: Ingested['message']): string {
  if (message.role === 'tool') return JSON.stringify(message.content.map((part) => part.toolCallId));
  return JSON.stringify(toolCallsOfMessage(message).map((part) => part.toolCallId));
}

function wrongShape(expected: string, output: unknown): VarveError {
  const got = output === null ? 'null' : typeof output;
  return new VarveError('VARVE_PLUGIN_FAILED', `The tap returned ${got} where ${expected} was expected.`, {
    fix: 'Return a value of the documented shape, or nothing for "no change".',
  });
}
