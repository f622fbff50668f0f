import type { CompactRequest, Prose } from '../compaction/compaction.ts';
import { checkAnswer } from '../compaction/plan-check.ts';
import { allocateLayers } from '../draft/allocate-layers.ts';
import type { Draft } from '../draft/draft.ts';
import { stateOfDraft } from '../draft/draft-operations.ts';
import { canBeCut, sizeOf } from '../draft/window-cut.ts';
import { VarveError } from '../errors.ts';
import type { JsonValue } from '../json-value.ts';
import { requireMessage, requireProvenance, toolCallsOfMessage } from '../message.ts';
import { requireJson } from '../storable-json.ts';
import type { DeliveryDecision } from './delivery.ts';
import { checkDecision } from './delivery-decision.ts';
import type { CommandReply, HookName, Ingested } from './hooks.ts';
import type { ResetAnswer } from './reset-question.ts';

/**
 * What a tap returned, in the shape of its hook; a promise where that takes reading.
 *
 * @throws  the code that says what is wrong with it.
 */
export function checkOutput(
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
