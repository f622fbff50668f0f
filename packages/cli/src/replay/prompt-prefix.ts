import { type Message, type Prompt, partsOfMessage, type TokenCounter, type Tokens } from '@varve/core';
import type { CachedRequest, PrefixPoint } from './prompt-cache.ts';

/** Turns the prompts of one session into what a prompt cache compares. */
export interface PromptPrefixes {
  /** `modelName`: prompts of different models share nothing. */
  of(prompt: Prompt, modelName: string): CachedRequest;
  /** Says what a message takes, so that it is not counted again. */
  learn(message: Message, tokens: Tokens): void;
}

/** A block of the system prompt, by its text, or a message, by identity. */
type Part = string | Message;

interface Chain {
  readonly modelName: string;
  readonly parts: readonly Part[];
  readonly points: readonly PrefixPoint[];
}

/**
 * Keeps the points of the prompt before: a prompt that continues it costs a comparison a message, and only what is new
 * is hashed and counted. `systemTokens` stand in front as one block that never changes.
 */
export function createPromptPrefixes({
  systemTokens,
  counter,
  hash,
}: {
  readonly systemTokens: Tokens;
  readonly counter: TokenCounter;
  /** A text that stands for another one, and for no third: prompts are held against each other by it. */
  readonly hash: (text: string) => string;
}): PromptPrefixes {
  const sizes = new WeakMap<Message, Tokens>();
  const digests = new WeakMap<Message, string>();
  let previous: Chain | null = null;
  const sizeOf = (message: Message): Tokens => remembered(sizes, message, () => counter.countMessage(message));
  const digestOf = (part: Part): string =>
    typeof part === 'string' ? hash(part) : remembered(digests, part, () => hash(JSON.stringify(part)));
  const isSame = (part: Part, other: Part | undefined): boolean => {
    if (part === other) return true;
    if (other === undefined || typeof part === 'string' || typeof other === 'string') return false;
    return digestOf(part) === digestOf(other);
  };

  const chainOf = (prompt: Prompt, modelName: string): Chain => {
    const parts: readonly Part[] = [...prompt.system.map(({ text }) => text), ...prompt.messages];
    const known = previous?.modelName === modelName ? previous : null;
    const first = known?.points[0] ?? { key: hash(modelName), tokens: systemTokens, blocks: systemTokens > 0 ? 1 : 0 };
    const points: PrefixPoint[] = [first];
    let isPrefix = known !== null;
    let last = first;
    for (const [index, part] of parts.entries()) {
      isPrefix &&= isSame(part, known?.parts[index]);
      const same = isPrefix ? known?.points[index + 1] : undefined;
      last =
        same ??
        pointAfter(last, part, index < prompt.system.length ? systemSize(prompt, index) : sizeOf(part as Message));
      points.push(last);
    }
    return { modelName, parts, points };
  };
  const pointAfter = ({ key, tokens, blocks }: PrefixPoint, part: Part, size: Tokens): PrefixPoint => ({
    key: hash(key + digestOf(part)),
    tokens: tokens + size,
    blocks: blocks + (typeof part === 'string' ? 1 : Math.max(1, partsOfMessage(part).length)),
  });

  return {
    of: (prompt, modelName) => {
      previous = chainOf(prompt, modelName);
      return { points: previous.points, marks: marksOf(prompt, systemTokens), tokens: systemTokens + prompt.tokens };
    },
    learn: (message, tokens) => {
      sizes.set(message, tokens);
    },
  };
}

/** Indexes of the points behind the system prompt and behind the stable messages; point 0 is the fixed block. */
function marksOf({ system, marks }: Prompt, systemTokens: Tokens): readonly number[] {
  const afterSystem = marks.afterSystem > 0 || systemTokens > 0 ? [marks.afterSystem] : [];
  return marks.afterStable > 0 ? [...afterSystem, system.length + marks.afterStable] : afterSystem;
}

function systemSize({ system, manifest }: Prompt, index: number): Tokens {
  return manifest.layers.find((layer) => layer.id === system[index]?.layer)?.tokens ?? 0;
}

function remembered<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
