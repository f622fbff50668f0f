import { createHash } from 'node:crypto';
import { createHost, type Message, memoryStore, type Prompt, textsOfMessage } from '@varve/core';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { type CacheBlock, type CacheRules, CacheSimulator, type CacheSums } from './cache-simulator.ts';
import { identifiersIn } from './identifiers.ts';
import { countVisible, type MeasuredMessage, NeededLater } from './needed-later.ts';
import { type ProfileName, profiles, type Strategy } from './strategies.ts';
import type { Trace } from './trace.ts';

/** What one strategy cost on one session, and what its prompts still showed. */
export interface ReplayFigures extends CacheSums {
  readonly needed: number;
  readonly visible: number;
  /** Requests that changed what an earlier one had sent. */
  readonly rewrites: number;
}

/** System prompt and tools that are not in a transcript. */
const systemBlock: CacheBlock = { id: 'system', tokens: 12_000 };
const tokensPerMessage = 4;
const gapMs = 10_000;

/** Puts a session through a real host: before each answer, the request is made that would have been sent. */
export async function replay(
  trace: Trace,
  {
    strategy,
    profile,
    rules = profiles[profile],
    until = trace.messages.length,
  }: {
    readonly strategy: Strategy;
    readonly profile: ProfileName;
    readonly rules?: CacheRules;
    readonly until?: number;
  },
): Promise<ReplayFigures> {
  let now = trace.messages[0]?.at ?? 0;
  const clock = { now: () => now, after: () => () => undefined };
  const plugins = strategy.plugins(profile);
  await using host = await createHost({
    store: memoryStore(),
    clock,
    random: () => 0.5,
    budget: strategy.budget,
    plugins,
  });
  const session = await host.open('trace');
  const cache = new CacheSimulator(rules);
  const history = new NeededLater();
  const counts = { needed: 0, visible: 0, rewrites: 0 };
  let before: readonly Measured[] = [];
  for (const { message, provenance, key, call, at } of trace.messages.slice(0, until)) {
    now = Math.max(now, at ?? (call === undefined ? now : now + gapMs));
    const measured = measure(message);
    if (call !== undefined) {
      const prompt = await session.assemble({ model: { provider: 'bench', model: profile } });
      const sent = viewOf(prompt, strategy);
      cache.request([systemBlock, ...sent], now);
      const { needed, visible } = countVisible(history.farNeeds(measured), sent);
      counts.needed += needed;
      counts.visible += visible;
      counts.rewrites += before.every(({ id }, index) => sent[index]?.id === id) ? 0 : 1;
      before = sent;
    }
    history.add(measured);
    await session.ingest(message, { provenance, key });
  }
  return { ...cache.sums, ...counts };
}

function viewOf({ messages }: Prompt, { view }: Strategy): readonly Measured[] {
  const sent = view === undefined ? messages : view(messages, (message) => measure(message).tokens);
  return sent.map(measure);
}

interface Measured extends CacheBlock, MeasuredMessage {}

/** Messages are frozen, and the same in prompts that share them; texts come again in every replay. */
const byMessage = new WeakMap<Message, Measured>();
const byText = new Map<string, Measured>();

function measure(message: Message): Measured {
  const known = byMessage.get(message) ?? measureText(message);
  byMessage.set(message, known);
  return known;
}

function measureText(message: Message): Measured {
  const text = [message.role, ...textsOfMessage(message)].join('\n');
  const known = byText.get(text);
  if (known !== undefined) return known;
  const id = createHash('sha1').update(text).digest('base64');
  const measured = { id, tokens: encode(text).length + tokensPerMessage, identifiers: identifiersIn(text) };
  byText.set(text, measured);
  return measured;
}
