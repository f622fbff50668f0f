import type { JudgedMessage } from '../judge/judged-prompt.ts';
import type { Turn } from '../sets/trajectory.ts';
import { choosingRun, fitTail, withBody } from './choose-messages.ts';
import { beforeNewest } from './plain-windows.ts';
import type { Strategy } from './strategy.ts';

const keptAnswers = 3;
const softRatio = 0.3;
const hardRatio = 0.5;
const charactersPerToken = 4;
const longest = 4_000;
const keptEnd = 1_500;
/** Of a window of 200,000 tokens; a smaller window takes a smaller share. */
const leastPrunable = 50_000;
const usualWindow = 200_000;

/**
 * OpenClaw's documented rules for pruning tool results with their defaults, applied before every request with the budget
 * as the window, then the newest messages that fit. OpenClaw itself applies them only once a cache has expired.
 */
export const openclawRules: Strategy = {
  name: 'OpenClaw rules, each request',
  family: 'peer',
  source: 'own code of the documented rules and defaults',
  open: async (budget) => choosingRun((turns) => fitTail(prune(turns, budget), budget)),
};

function prune(turns: readonly Turn[], budget: number): readonly JudgedMessage[] {
  const window = budget * charactersPerToken;
  const messages: JudgedMessage[] = [...turns];
  const charactersOf = (): number => messages.reduce((sum, { body }) => sum + body.length, 0);
  const cut = beforeNewest(turns, keptAnswers);
  const prunable = messages.flatMap(({ role }, index) => (role === 'tool' && index < cut ? [index] : []));
  if (charactersOf() < softRatio * window) return messages;
  for (const index of prunable) messages[index] = softTrimmed(messages[index] as JudgedMessage);
  let characters = charactersOf();
  const inResults = prunable.reduce((sum, index) => sum + (messages[index] as JudgedMessage).body.length, 0);
  if (inResults < leastPrunable * Math.min(1, budget / usualWindow)) return messages;
  for (const index of prunable) {
    if (characters < hardRatio * window) break;
    const before = messages[index] as JudgedMessage;
    const cleared = withBody(before, '[Old tool result content cleared]');
    characters += cleared.body.length - before.body.length;
    messages[index] = cleared;
  }
  return messages;
}

const trimmed = new WeakMap<JudgedMessage, JudgedMessage>();

function softTrimmed(message: JudgedMessage): JudgedMessage {
  const { body } = message;
  if (body.length <= longest) return message;
  const known = trimmed.get(message);
  if (known !== undefined) return known;
  const note = `[Tool result trimmed: kept first ${keptEnd} chars and last ${keptEnd} chars of ${body.length} chars.]`;
  const made = withBody(message, `${body.slice(0, keptEnd)}\n...\n${body.slice(-keptEnd)}\n\n${note}`);
  trimmed.set(message, made);
  return made;
}
