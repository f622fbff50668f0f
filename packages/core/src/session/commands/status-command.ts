import { nameOfModel } from '../../model-ref.ts';
import type { CommandReply } from '../../plugins/hooks.ts';
import { budgetOptionsFor, calibrationFor } from '../budget/model-budget.ts';
import { draftWithKnownLayers } from '../collect-layers.ts';
import { sessionHealth } from '../session-health.ts';
import { type SessionPressure, sessionPressure } from '../session-pressure.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import type { CommandRun } from './command.ts';
import { barText, numberText } from './number-text.ts';

/** Shows how full the prompt is, what the session took so far, and how it is doing. */
export async function showStatus(runtime: SessionRuntime, { request }: CommandRun): Promise<CommandReply> {
  const pressure = sessionPressure(draftWithKnownLayers(runtime, request));
  const { tokens, level, by, bytes } = pressure;
  const { window, input, hard, soft, inputBytes } = pressure.budget;
  const { ceilingTokens: ceiling } = budgetOptionsFor(runtime, request.model);
  const shown = calibrationFor(runtime.journal.state(), request.model);
  const calibration = shown.samples === 0 ? null : shown;
  const { compactions, requests, messages, spent } = runtime.record.current().counters;
  const health = sessionHealth(runtime);
  const { failures, isBlocked, why } = health.compaction;
  const failing = health.findings.filter(({ isFailing }) => isFailing);
  const model = nameOfModel(request.model);
  const lines = [
    `Model: ${model}, window ${numberText(window)} tokens`,
    ...sizeLines(pressure),
    ...(ceiling === Infinity ? [] : [`Learned: the model took no more than ${numberText(ceiling)} tokens`]),
    calibrationText(calibration),
    `So far: ${numberText(messages)} messages, ${numberText(requests)} prompts, ${numberText(compactions)} compactions`,
    `Spent: ${numberText(spent.inputTokens)} in, ${numberText(spent.outputTokens)} out, ${numberText(spent.cacheReadTokens)} read from and ${numberText(spent.cacheWriteTokens)} written to caches`,
    health.ok ? 'Health: nothing is failing' : `Health: ${failing.length + (failures > 0 ? 1 : 0)} failing`,
    ...failing.map(({ name, where, lastError }) => `  ${name}, ${where}: ${lastError}`),
    ...(failures > 0 || isBlocked ? [`  compaction${isBlocked ? ', paused' : ''}: ${why}`] : []),
  ];
  const budget = {
    window,
    input: finite(input),
    hard: finite(hard),
    soft: finite(soft),
    inputBytes: finite(inputBytes),
  };
  const learned = ceiling === Infinity ? null : ceiling;
  const findings = failing.map(({ name, where, lastError }) => ({ name, where, lastError }));
  const counts = { messages, requests, compactions, spent: { ...spent } };
  return {
    text: lines.join('\n'),
    data: {
      model,
      budget,
      learned,
      tokens,
      bytes,
      level,
      by,
      calibration,
      ...counts,
      ok: health.ok,
      failing: findings,
      compaction: { ...health.compaction },
    },
  };
}

function sizeLines({ tokens, bytes, level, by, budget }: SessionPressure): readonly string[] {
  const { input, hard, soft, inputBytes } = budget;
  const word = level === 'none' ? 'room enough' : level;
  const ofBytes = bytes === null ? '' : `${numberText(bytes)} of ${numberText(inputBytes)} bytes`;
  const bytesLines = by === 'bytes' ? [`Size: ${barText(bytes ?? 0, inputBytes)}, ${ofBytes} (${word})`] : [];
  if (input === Infinity) return [`Prompt: ${numberText(tokens)} tokens, without a limit`, ...bytesLines];
  const ofTokens = by === 'tokens' ? ` (${word})` : '';
  return [
    `Prompt: ${barText(tokens, input)}, ${numberText(tokens)} of ${numberText(input)} tokens${ofTokens}`,
    ...bytesLines,
    `Budget: compaction is due above ${numberText(hard)}, in the background above ${numberText(soft)}`,
  ];
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

function calibrationText(calibration: ReturnType<typeof calibrationFor> | null): string {
  if (calibration === null) return 'Calibration: nothing has been reported of this model';
  const { factor, samples } = calibration;
  const reports = samples === 1 ? '1 report' : `${numberText(samples)} reports`;
  return `Calibration: one counted token is ${factor.toFixed(2)} of the model, by ${reports}`;
}
