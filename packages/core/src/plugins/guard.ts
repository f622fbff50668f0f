import type { Clock } from '../clock.ts';
import type { CompactRequest, Prose } from '../compaction/compaction.ts';
import { checkAnswer } from '../compaction/plan-check.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { allocateLayers } from '../draft/allocate-layers.ts';
import type { Draft } from '../draft/draft.ts';
import { createDraft, stateOfDraft } from '../draft/draft-operations.ts';
import { canBeCut, sizeOf } from '../draft/window-cut.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { JsonValue } from '../json-value.ts';
import { requireMessage, requireProvenance, toolCallsOfMessage } from '../message.ts';
import { requireJson } from '../storable-json.ts';
import type { Milliseconds } from '../units.ts';
import type { DeliveryDecision } from './delivery.ts';
import { checkDecision, deniedByFailure } from './delivery-decision.ts';
import type { HostEvents } from './events.ts';
import type { HealthRecord } from './health.ts';
import type { HookContext } from './hook-context.ts';
import { type CommandReply, type GuardedTap, type HookName, type HookRule, hookRules, type Ingested } from './hooks.ts';
import type { ResetAnswer } from './reset-question.ts';
import { revocable } from './revocable-context.ts';
import type { SessionEvents } from './session-events.ts';

/** One run of a hook: what its taps share. Made by the session for each run. */
export interface GuardedRun {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly events: SessionEvents;
  readonly health: HealthRecord;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** A new context for one plugin's tap, with what the guard gives it; its signal is asked for each time it is read. */
  contextFor(plugin: string, own: { readonly deadline: Milliseconds; signal(): AbortSignal }): HookContext;
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
      const checked = output === undefined ? undefined : await checkOutput(output, { hook, input, plugin });
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
      if (rule.onFailure === 'deny') return deniedByFailure(value as DeliveryDecision, { plugin, error });
      throw new VarveError('VARVE_PLUGIN_FAILED', `Plugin "${plugin}" failed in ${where}: ${messageOfError(error)}`, {
        fix: `Fix or remove the plugin "${plugin}"; nothing was stored.`,
        cause: error,
        details: { plugin, hook },
      });
    }

    function tapEvent(): { plugin: string; hook: HookName; tap: string } {
      return { plugin, hook, tap: name };
    }
  };
  return guarded as GuardedTap;
}

/** What a tap of a draft hook did to the draft; the comparison is made only when somebody wants to know. */
function draftFacts(
  input: unknown,
  { output = input, events }: { readonly output: unknown; readonly events: SessionEvents },
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
  const ending = createEnding();
  const own = { deadline: run.clock.now() + rule.deadlineMs, signal: ending.signal };
  const { context, revoke } = revocable(run.contextFor(plugin, own), `${plugin}, ${where}`);
  try {
    const result = call(context);
    // What is there already needs nobody who watches the time.
    return isThenable(result) ? await inTime(result, { ...options, ending }) : result;
  } finally {
    revoke();
  }
}

/** How a call is told that it has been given up on. */
interface Ending {
  /** Made when it is asked for: hardly any tap does. */
  signal(): AbortSignal;
  giveUp(error: VarveError): void;
}

function createEnding(): Ending {
  let controller: AbortController | null = null;
  let reason: VarveError | null = null;
  return {
    signal: () => {
      controller ??= new AbortController();
      if (reason !== null) controller.abort(reason);
      return controller.signal;
    },
    giveUp: (error) => {
      reason = error;
      controller?.abort(error);
    },
  };
}

async function inTime<Result>(
  result: PromiseLike<Result>,
  { plugin, where, rule, run, ending }: Parameters<typeof callWithDeadline>[1] & { readonly ending: Ending },
): Promise<Result> {
  let stop = (): void => undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      const expire = (error: VarveError): void => {
        ending.giveUp(error);
        reject(error);
      };
      const cancel = run.clock.after(rule.deadlineMs, () => expire(timeout({ plugin, where, rule })));
      const onAbort = (): void => expire(aborted(run.signal));
      run.signal?.addEventListener('abort', onAbort, { once: true });
      stop = () => {
        cancel();
        run.signal?.removeEventListener('abort', onAbort);
      };
      if (run.signal?.aborted === true) onAbort();
      result.then(resolve, reject);
    });
  } finally {
    stop();
  }
}

function isThenable<Result>(result: Result | PromiseLike<Result>): result is PromiseLike<Result> {
  const isObject = (typeof result === 'object' && result !== null) || typeof result === 'function';
  return isObject && typeof (result as { readonly then?: unknown }).then === 'function';
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

/**
 * A draft is handed to a tap in the plugin's name, so that each verdict says who gave it; anything else is frozen, so
 * that no tap changes what the next one reads.
 */
function inputFor(value: unknown, plugin: string): unknown {
  return isDraft(value) ? createDraft({ ...stateOfDraft(value), actor: plugin }) : deepFreeze(value);
}

function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && 'addLayer' in value;
}

function checkOutput(
  output: unknown,
  { hook, input, plugin }: { hook: HookName; input: unknown; plugin: string },
): unknown {
  if (hook === 'shape' || hook === 'fit') return checkFit(checkDraft(output, input), input as Draft);
  if (hook === 'collect') return checkCollected(checkDraft(output, input), input as Draft);
  if (hook === 'ingest') return checkIngested(output, input as Ingested);
  if (hook === 'shouldCompact' && typeof output !== 'boolean') throw wrongShape('a boolean', output);
  if (hook === 'summarize' && !isProse(output)) throw wrongShape('a string or { text }', output);
  if (hook === 'compact') return checkAnswer(output, input as CompactRequest);
  if (hook === 'command') return checkReply(output);
  if (hook === 'shouldReset') return checkReset(output);
  if (hook === 'deliver') return checkDecision(output, { given: input as DeliveryDecision, plugin });
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

/**
 * A plugin or engine may not leave a draft that cannot be made to fit where there was one that could.
 *
 * @throws VARVE_BUDGET_IMPOSSIBLE
 */
export function checkFit(output: Draft, input: Draft): Draft {
  if (output === input || canBeCut(output) || !canBeCut(input)) return output;
  const tokens = sizeOf(output);
  throw new VarveError('VARVE_BUDGET_IMPOSSIBLE', `It leaves ${tokens} tokens that cannot be cut to the budget.`, {
    fix: 'Add no more than is left, protect less, and give layers items that can be left out.',
    details: { tokens, before: sizeOf(input), budgetTokens: input.budget.input },
  });
}

/** Layers that are collected are given their room later: what counts is whether there is some. */
function checkCollected(output: Draft, input: Draft): Draft {
  if (!canBeCut(output)) checkFit(allocateLayers(output).draft, allocateLayers(input).draft);
  return output;
}

/** A rewritten message keeps its role and its tool call ids: otherwise a call could lose its result. */
function checkIngested(output: unknown, input: Ingested): Ingested {
  if (typeof output !== 'object' || output === null) throw wrongShape('{ message, provenance }', output);
  const given = output as Partial<Ingested>;
  const message = given.message === input.message ? input.message : requireMessage(given.message);
  const provenance = given.provenance === undefined ? input.provenance : requireProvenance(given.provenance);
  if (message.role === input.message.role && toolIds(message) === toolIds(input.message))
    return { message, provenance };
  throw new VarveError('VARVE_MESSAGE_INVALID', 'The rewritten message has another role or other tool call ids.', {
    fix: 'Change texts only; to refuse a message, throw VARVE_INGEST_REFUSED.',
  });
}

/** A reply has a text that can be shown; its data and settings are copied. */
function checkReply(output: unknown): CommandReply {
  if (typeof output !== 'object' || output === null) throw wrongShape('{ text, data }', output);
  const { text, data = null, settings = {} } = output as Partial<CommandReply>;
  if (typeof text !== 'string') throw wrongShape('a reply with a text', text);
  const json = (value: unknown, what: string): JsonValue => requireJson(value, { code: 'VARVE_PLUGIN_FAILED', what });
  const kept = json(settings, 'The settings of the reply');
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) throw wrongShape('settings by name', settings);
  const reply = { text, data: json(data, 'The data of the reply') };
  return Object.keys(kept).length === 0 ? reply : { ...reply, settings: kept as Record<string, JsonValue> };
}

function checkReset(output: unknown): ResetAnswer {
  const { reason, text = '' } = (output ?? {}) as Partial<ResetAnswer>;
  if (typeof reason !== 'string' || reason === '' || typeof text !== 'string') throw wrongShape('{ reason }', output);
  return { reason, ...(text === '' ? {} : { text }) };
}

function toolIds(message: Ingested['message']): string {
  if (message.role === 'tool') return JSON.stringify(message.content.map((part) => part.toolCallId));
  return JSON.stringify(toolCallsOfMessage(message).map((part) => part.toolCallId));
}

/** True for a text, or a text with words about it. */
function isProse(output: unknown): output is string | Prose {
  if (typeof output === 'string') return true;
  if (typeof output !== 'object' || output === null) return false;
  const { text, quality = '', model = '' } = output as Partial<Prose>;
  return [text, quality, model].every((each) => typeof each === 'string');
}

function wrongShape(expected: string, output: unknown): VarveError {
  const got = output === null ? 'null' : typeof output;
  return new VarveError('VARVE_PLUGIN_FAILED', `The tap returned ${got} where ${expected} was expected.`, {
    fix: 'Return a value of the documented shape, or nothing for "no change".',
  });
}
