import type { Milliseconds, Tokens } from '@varve/core';
import { fingerprint } from '../wire/seal.ts';
import type { CountedPart } from './count-prompt.ts';

/** What a request read from the cache and wrote to it. */
export interface CacheUse {
  readonly read: Tokens;
  readonly written: { readonly '5m': Tokens; readonly '1h': Tokens };
}

/** A prompt cache of a provider, simulated. */
export interface PromptCache {
  /** Looks a prompt of a model up, and keeps what is to be kept. */
  use(parts: readonly CountedPart[], at: { readonly model: string; readonly now: Milliseconds }): CacheUse;
}

/** Fewest tokens that are kept. */
const fewestTokens = 1_024;
/** How many blocks before a mark an entry is looked for. */
const lookBack = 20;
const lifetimes = { '5m': 300_000, '1h': 3_600_000 } as const;
/** Tokens that an automatic cache keeps together. */
const step = 128;
const automaticLifetime: Milliseconds = 600_000;
const mostPrompts = 100;

/** A cache of what marks ask for: an entry is the prompt up to a mark, and lives anew each time it is read. */
export function markedCache(): PromptCache {
  const entries = new Map<string, { readonly lifetime: Milliseconds; expires: Milliseconds }>();
  return {
    use(parts, { model, now }) {
      const prefixes = prefixesOf(parts, model);
      const marks = prefixes.filter(({ mark }) => mark !== undefined).slice(-4);
      const found = marks
        .flatMap(({ index }) => prefixes.slice(Math.max(0, index - lookBack), index + 1))
        .filter(({ key }) => (entries.get(key)?.expires ?? 0) > now);
      const longest = found.reduce<Prefix | null>((best, one) => (one.index > (best?.index ?? -1) ? one : best), null);
      const written = { '5m': 0, '1h': 0 };
      let behind = longest?.tokens ?? 0;
      for (const { mark = '5m', key, tokens } of marks) {
        if (tokens < fewestTokens) continue;
        const known = entries.get(key);
        const lifetime = Math.max(lifetimes[mark], known !== undefined && known.expires > now ? known.lifetime : 0);
        entries.set(key, { lifetime, expires: now + lifetime });
        written[mark] += Math.max(0, tokens - behind);
        behind = Math.max(behind, tokens);
      }
      const entry = longest === null ? undefined : entries.get(longest.key);
      if (entry !== undefined) entry.expires = now + entry.lifetime;
      return { read: longest?.tokens ?? 0, written };
    },
  };
}

/** A cache that keeps every prompt from 1 024 tokens on by itself, and finds beginnings in steps of 128. */
export function automaticCache(): PromptCache {
  const prompts: { readonly model: string; readonly parts: readonly CountedPart[]; used: Milliseconds }[] = [];
  return {
    use(parts, { model, now }) {
      let read = 0;
      for (const prompt of prompts) {
        if (prompt.model !== model || now - prompt.used > automaticLifetime) continue;
        const common = commonTokens(prompt.parts, parts);
        if (common >= fewestTokens) prompt.used = now;
        read = Math.max(read, common);
      }
      prompts.push({ model, parts, used: now });
      if (prompts.length > mostPrompts) prompts.shift();
      return { read: read < fewestTokens ? 0 : read - (read % step), written: { '5m': 0, '1h': 0 } };
    },
  };
}

interface Prefix {
  readonly index: number;
  readonly key: string;
  readonly tokens: Tokens;
  readonly mark?: '5m' | '1h';
}

function prefixesOf(parts: readonly CountedPart[], model: string): readonly Prefix[] {
  let key = model;
  let tokens = 0;
  return parts.map((part, index) => {
    key = fingerprint(`${key}\n${part.key}`, 64);
    tokens += part.tokens;
    return { index, key, tokens, ...(part.mark === undefined ? {} : { mark: part.mark }) };
  });
}

function commonTokens(before: readonly CountedPart[], now: readonly CountedPart[]): Tokens {
  let tokens = 0;
  for (const [index, part] of now.entries()) {
    const known = before[index];
    if (known?.key === part.key) {
      tokens += part.tokens;
      continue;
    }
    return tokens + Math.floor(part.tokens * sharedShare(known?.text ?? '', part.text));
  }
  return tokens;
}

/** How much of a text another one begins with: 0 to 1. */
function sharedShare(before: string, text: string): number {
  let index = 0;
  while (index < text.length && before.charCodeAt(index) === text.charCodeAt(index)) index += 1;
  return text.length === 0 ? 0 : index / text.length;
}
