import { type ModelPort, VarveError } from '@varve/core';
import type { Random } from '@varve/testkit';

/** Most rounds of tool calls that one conversation partner makes before an answer. */
const mostCalls = 3;

/** What the model takes: less than the host believes, so that some prompts are too long. */
const mostTokens = 3_800;

/** The tools of the worker, and one that is not there. */
const toolNames = ['write', 'read', 'fail', 'unknown'] as const;

/** A model that answers by chance: with text, with calls of tools, or not at all. No two of its texts are the same. */
export function scriptedModel(random: Random, round: number): ModelPort {
  const ref = { provider: 'test', model: 'test-1' };
  let count = 0;
  let inRow = 0;
  return {
    ref,
    generate: async ({ prompt: { messages } }, { signal } = {}) => {
      count += 1;
      const name = `${round}-${count}`;
      for (let turns = random.integer(0, 4); turns > 0; turns -= 1) await new Promise(setImmediate);
      if (signal?.aborted === true) throw new VarveError('VARVE_ABORTED', 'Aborted.', { fix: 'Ask again.' });
      const tokens = JSON.stringify(messages).length / 4;
      if (tokens > mostTokens) throw overflow(random.chance(0.5) ? mostTokens : null);
      if (random.chance(0.03)) throw new Error('the line is busy');
      const usage = { inputTokens: tokens, outputTokens: 50 };
      const calls = inRow < mostCalls && random.chance(0.55) ? random.integer(1, 3) : 0;
      inRow = calls === 0 ? 0 : inRow + 1;
      const text = `Answer ${name}. ${'Clay, silt, sand. '.repeat(random.integer(1, 30))}`;
      if (calls === 0) return { message: { role: 'assistant', content: text, stop: 'stop' }, usage };
      const content = Array.from({ length: calls }, (_, index) => ({
        type: 'tool-call' as const,
        toolCallId: `call-${name}-${index}`,
        toolName: random.chance(0.05) ? toolNames[3] : random.pick(toolNames.slice(0, 3) as ['write', 'read', 'fail']),
        input: { length: random.integer(20, 2_500) },
      }));
      return {
        message: { role: 'assistant', content: [{ type: 'text', text }, ...content], stop: 'tool-calls' },
        usage,
      };
    },
  };
}

function overflow(limit: number | null): VarveError {
  return new VarveError('VARVE_MODEL_OVERFLOW', 'The prompt is too long.', {
    fix: 'Shorten it.',
    details: { provider: 'test', model: 'test-1', limit, given: null },
  });
}
