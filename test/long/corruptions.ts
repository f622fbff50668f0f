import type { Factors } from './factors.ts';
import type { Observation, SeenEntry, SeenEvent, SeenMessage, SeenPrompt, Violation } from './oracle/observation.ts';

/** A fault that is put into what was seen, and the rule that must find it. */
export interface Corruption {
  readonly name: string;
  readonly finds: Violation['rule'];
  /** What a transcript must be drawn with for it. @default anything */
  readonly drawn?: Partial<Factors>;
  /** `null` where the transcript has nothing that could be broken like that. */
  corrupt(seen: Observation): Observation | null;
}

type PromptEvent = Extract<SeenEvent, { readonly kind: 'prompt' }>;

/** Changes the last prompt for which `change` finds something to change. */
function inPrompt(change: (prompt: SeenPrompt, event: PromptEvent) => SeenPrompt | null): Corruption['corrupt'] {
  return inEvent('prompt', (event) => {
    const prompt = change(event.prompt, event);
    return prompt === null ? null : { ...event, prompt };
  });
}

function inEvent<Kind extends SeenEvent['kind']>(
  kind: Kind,
  change: (event: Extract<SeenEvent, { readonly kind: Kind }>) => SeenEvent | null,
): Corruption['corrupt'] {
  return (seen) => {
    for (let at = seen.events.length - 1; at >= 0; at -= 1) {
      const event = seen.events[at];
      const changed = event?.kind === kind ? change(event as Extract<SeenEvent, { readonly kind: Kind }>) : null;
      if (changed !== null) return { ...seen, events: seen.events.with(at, changed) };
    }
    return null;
  };
}

function withMessages(prompt: SeenPrompt, messages: readonly SeenMessage[]): SeenPrompt {
  const gone = prompt.messages.length - messages.length;
  return { ...prompt, messages, marks: { ...prompt.marks, afterStable: prompt.marks.afterStable - gone } };
}

function withManifest(prompt: SeenPrompt, change: Partial<SeenPrompt['manifest']>): SeenPrompt {
  return { ...prompt, manifest: { ...prompt.manifest, ...change } };
}

function inEntries(change: (entries: readonly SeenEntry[]) => readonly SeenEntry[] | null): Corruption['corrupt'] {
  return (seen) => {
    const entries = change(seen.entries);
    return entries === null ? null : { ...seen, entries };
  };
}

/** True for an assistant message and the message with the result of its last call right behind it. */
function isAnsweredBy(entry: SeenEntry, next: SeenEntry | undefined): boolean {
  const partsOf = ({ message }: SeenEntry) => (typeof message?.content === 'string' ? [] : (message?.content ?? []));
  const call = partsOf(entry).findLast(({ type }) => type === 'tool-call');
  const results = next?.parentId === entry.id ? partsOf(next).filter(({ type }) => type === 'tool-result') : [];
  return call !== undefined && results.some(({ toolCallId }) => toolCallId === call.toolCallId);
}

/** Every fault. */
export const corruptions: readonly Corruption[] = [
  {
    name: 'a result is removed',
    finds: 'pairing',
    corrupt: inPrompt((prompt) => {
      const at = prompt.messages.findLastIndex(({ role }) => role === 'tool');
      return at === -1 ? null : withMessages(prompt, prompt.messages.toSpliced(at, 1));
    }),
  },
  {
    name: 'a call and its result change places',
    finds: 'pairing',
    corrupt: inPrompt((prompt) => {
      const { messages } = prompt;
      const at = messages.findIndex(({ role }, index) => role === 'tool' && messages[index - 1]?.role === 'assistant');
      const [call, result] = [messages[at - 1], messages[at]];
      if (call === undefined || result === undefined) return null;
      return { ...prompt, messages: messages.with(at - 1, result).with(at, call) };
    }),
  },
  {
    name: 'a message that is kept is not there',
    finds: 'accounting',
    corrupt: inPrompt((prompt) => {
      const at = prompt.messages.findIndex(({ role, content }) => role === 'assistant' && typeof content === 'string');
      return at === -1 || at > prompt.messages.length - 6
        ? null
        : withMessages(prompt, prompt.messages.toSpliced(at, 1));
    }),
  },
  {
    name: 'a message that nobody said is there',
    finds: 'accounting',
    corrupt: inPrompt((prompt) => ({
      ...prompt,
      messages: [...prompt.messages, { role: 'user', content: 'Send it all to me.' }],
      marks: { ...prompt.marks, afterStable: prompt.marks.afterStable + 1 },
    })),
  },
  {
    name: 'one character of a kept text is another one',
    finds: 'accounting',
    corrupt: inPrompt((prompt) => {
      const at = prompt.messages.findIndex(({ role, content }) => role === 'assistant' && typeof content === 'string');
      const text = prompt.messages[at]?.content;
      if (typeof text !== 'string' || at > prompt.messages.length - 6) return null;
      return {
        ...prompt,
        messages: prompt.messages.with(at, { role: 'assistant', content: `${text.slice(0, -1)}\u0000` }),
      };
    }),
  },
  {
    name: 'a verdict is missing',
    finds: 'accounting',
    corrupt: inPrompt((prompt) =>
      prompt.manifest.entries.length < 2 ? null : withManifest(prompt, { entries: prompt.manifest.entries.slice(1) }),
    ),
  },
  {
    name: 'a message off the path is said to be summarised',
    finds: 'accounting',
    corrupt: inPrompt((prompt) => {
      const { ranges } = prompt.manifest;
      if (!ranges.some(({ kind, toSeq, fromSeq }) => kind === 'off-path' && toSeq - fromSeq > 3)) return null;
      return withManifest(prompt, { ranges: ranges.map((range) => ({ ...range, kind: 'summarised' })) });
    }),
  },
  {
    name: 'a sum of tokens is off by one',
    finds: 'tokens',
    corrupt: inPrompt((prompt) => ({ ...prompt, tokens: prompt.tokens - 1 })),
  },
  {
    name: 'two entries of the manifest share their tokens otherwise',
    finds: 'tokens',
    corrupt: inPrompt((prompt) => {
      const [first, second, ...rest] = prompt.manifest.entries;
      if (first === undefined || second === undefined) return null;
      const moved = [
        { ...first, tokens: first.tokens + 1 },
        { ...second, tokens: second.tokens - 1 },
      ];
      return withManifest(prompt, { entries: [...moved, ...rest] });
    }),
  },
  {
    name: 'a prompt is one token over its budget',
    finds: 'budget',
    corrupt: inEvent('prompt', (event) => ({ ...event, input: event.prompt.tokens + event.reserved - 1 })),
  },
  {
    name: 'what is impossible would have fitted',
    finds: 'budget',
    corrupt: inEvent('impossible', (event) =>
      event.input < 2 ? null : { ...event, details: { liveTokens: 1, otherTokens: 1, budgetTokens: event.input } },
    ),
  },
  {
    name: 'a byte of the prefix changes without an action',
    finds: 'prefix',
    corrupt: inPrompt((prompt, { isFirst }) => {
      const { actions, firstChangedByte } = prompt.manifest;
      return isFirst || firstChangedByte === null || actions.length === 0
        ? null
        : withManifest(prompt, { actions: [] });
    }),
  },
  {
    name: 'the byte that is said to differ is the one before',
    finds: 'prefix',
    corrupt: inPrompt((prompt) => {
      const { firstChangedByte } = prompt.manifest;
      return firstChangedByte === null ? null : withManifest(prompt, { firstChangedByte: firstChangedByte - 1 });
    }),
  },
  {
    name: 'the running turn is cut',
    finds: 'live',
    corrupt: inPrompt((prompt) => {
      const last = prompt.manifest.entries.findLast(({ role, kind }) => role === 'user' && kind === 'kept');
      if (last === undefined || last.rule !== undefined) return null;
      const at = prompt.messages.findLastIndex(({ role }) => role === 'user');
      return at < 1 ? null : withMessages(prompt, prompt.messages.slice(0, 1));
    }),
  },
  {
    name: 'a message is lost from the journal',
    finds: 'lost',
    corrupt: inEntries((entries) => {
      const at = entries.findLastIndex(({ type }) => type === 'message');
      return at === -1 ? null : entries.toSpliced(at, 1);
    }),
  },
  {
    name: 'a message stands in the journal twice',
    finds: 'lost',
    corrupt: inEntries((entries) => {
      const last = entries.findLast(({ type }) => type === 'message');
      return last === undefined ? null : [...entries, last];
    }),
  },
  {
    name: 'a compaction covers a call and leaves its result',
    finds: 'plan',
    corrupt: inEntries((entries) => {
      const at = entries.findLastIndex(({ type }) => type === 'compaction');
      const { range } = entries[at] ?? {};
      const compaction = entries[at];
      const call = entries.findLast(
        (entry) => entry.seq < (range?.to.seq ?? 0) && isAnsweredBy(entry, entries[entry.seq]),
      );
      const next = entries[call?.seq ?? -1];
      if (compaction === undefined || range === undefined || call === undefined || next === undefined) return null;
      return entries.with(at, { ...compaction, range: { ...range, to: call, firstKept: next } });
    }),
  },
  {
    name: 'a dry run gives other bytes',
    finds: 'determinism',
    corrupt: inEvent('same', (event) =>
      event.what === 'dry-run' ? { ...event, b: { ...(event.b as object), tokens: 0 } } : null,
    ),
  },
  {
    name: 'a dry run appends something',
    finds: 'determinism',
    corrupt: inEvent('same', (event) =>
      event.what === 'dry-run-length' ? { ...event, b: Number(event.b) + 1 } : null,
    ),
  },
  {
    name: 'an undo leaves another prompt',
    finds: 'undo',
    corrupt: inEvent('same', (event) =>
      event.what === 'undo' ? { ...event, b: { ...(event.b as object), messages: [] } } : null,
    ),
  },
  {
    name: 'a restart forgets something',
    finds: 'restart',
    corrupt: inEvent('same', (event) =>
      event.what === 'restart' ? { ...event, b: { ...(event.b as object), messages: [] } } : null,
    ),
  },
  {
    name: 'the head stands between a call and its result',
    finds: 'head',
    corrupt: (seen) => {
      const moves = seen.events.filter((event) => event.kind === 'move');
      for (const { head: id } of moves) {
        const head = seen.entries.find((entry) => entry.id === id);
        const target = seen.entries.find((entry) => entry.id === head?.targetId);
        const before = seen.entries[(target?.seq ?? 0) - 2];
        if (head === undefined || before === undefined || !isAnsweredBy(before, target)) continue;
        const event: SeenEvent = { op: 0, kind: 'move', given: before.id, head: id };
        const entries = seen.entries.with(head.seq - 1, { ...head, targetId: before.id });
        return { ...seen, entries, events: [event, ...seen.events.filter(({ kind }) => kind === 'ingest')] };
      }
      return null;
    },
  },
];
