import { extractIdentifiers, type JsonValue } from '@varve/core';
import { type Random, seededRandom } from '../../conversation/seeded-random.ts';
import { type AnswerBlock, answer, type ModelOutcome, type ModelScript } from '../exchange/model-outcome.ts';
import type { SeenConversation, SeenTool } from '../exchange/served-request.ts';

/** How an agent works. */
export interface ToolAgentOptions {
  /** Decides which tools it calls, and with what. @default 1 */
  readonly seed?: number;
  /** Rounds of calls before it answers. @default 3 */
  readonly steps?: number;
  /** Most calls in one round. @default 3 */
  readonly parallel?: number;
  /** Whether it thinks before it calls. @default false */
  readonly thinks?: boolean;
}

/**
 * A model that works with tools: it calls some of those that are offered, for some rounds, with arguments of the form
 * that they ask for and words out of the results before, and then answers with what it found. It decides by the
 * conversation alone: the same request gets the same answer.
 */
export function toolAgent({ seed = 1, steps = 3, parallel = 3, thinks = false }: ToolAgentOptions = {}): ModelScript {
  return ({ conversation }) => {
    const { messages, tools, toolChoice } = conversation;
    const asked = messages.findLastIndex(
      ({ role, text, results }) => role === 'user' && text !== '' && results.length === 0,
    );
    const rounds = messages.slice(asked + 1).filter(({ calls }) => calls.length > 0).length;
    const found = findings(conversation);
    const [first, ...others] = toolChoice === 'none' ? [] : callable(tools, toolChoice);
    const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
    if (first === undefined || (rounds >= steps && !isForced)) return conclusion(found);
    const random = seededRandom(seed * 7_919 + messages.length);
    const calls = Array.from({ length: random.integer(1, parallel) }, (): AnswerBlock => {
      const { name, inputSchema } = random.pick([first, ...others]);
      return { type: 'tool-call', name, input: sampleOf(inputSchema, { random, words: found }) };
    });
    const said: AnswerBlock = {
      type: 'text',
      text: `Step ${rounds + 1}: I look at ${found.at(-1) ?? 'what there is'}.`,
    };
    const thought: AnswerBlock = { type: 'thinking', text: `There are ${found.length} findings so far.` };
    return answer([...(thinks ? [thought] : []), said, ...calls]);
  };
}

function callable(tools: readonly SeenTool[], choice: SeenConversation['toolChoice']): readonly SeenTool[] {
  return typeof choice === 'object' ? tools.filter(({ name }) => name === choice.tool) : tools;
}

/** What the newest results name; what the user named when there are none. */
function findings({ messages }: SeenConversation): readonly string[] {
  const results = messages.flatMap((message) => message.results).slice(-4);
  const texts = results.map(({ text }) => text);
  const asked = messages.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
  return [...extractIdentifiers([asked, ...texts].join('\n')).keys()].slice(-12);
}

function conclusion(found: readonly string[]): ModelOutcome {
  return answer(found.length === 0 ? 'Done: there was nothing to find.' : `Done. I found ${found.join(', ')}.`);
}

interface SampleOptions {
  readonly random: Random;
  readonly words: readonly string[];
}

/** A value of the form that a schema asks for; of what it does not tell, a text. */
function sampleOf(schema: unknown, options: SampleOptions): JsonValue {
  const { random, words } = options;
  const { type, enum: choices, properties, items } = (schema ?? {}) as { readonly [keyword: string]: unknown };
  const [choice, ...more] = Array.isArray(choices) ? (choices as JsonValue[]) : [];
  if (choice !== undefined) return random.pick([choice, ...more]);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((properties ?? {}) as { readonly [name: string]: unknown }).map(([name, of]) => [
          name,
          sampleOf(of, options),
        ]),
      );
    case 'array':
      return [sampleOf(items, options)];
    case 'integer':
    case 'number':
      return random.integer(1, 100);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return random.pick(['notes.md', ...words]);
  }
}
