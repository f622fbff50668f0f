import type { Corruption } from './corruptions.ts';
import type { Observation, SeenEntry, SeenEvent, SeenMessage, SeenNote, SeenPrompt } from './oracle/observation.ts';

type PromptEvent = Extract<SeenEvent, { readonly kind: 'prompt' }>;

/** A prompt with a note that an earlier one has had. */
interface Noted {
  readonly event: PromptEvent;
  readonly note: SeenNote;
  /** Index of its message. */
  readonly at: number;
}

/** Faults of what is brought back. */
export const noteCorruptions: readonly Corruption[] = [
  {
    name: 'a note moves',
    finds: 'note',
    drawn: { strategy: 'recall' },
    corrupt: inNoted(({ event, at }) => {
      const { messages } = event.prompt;
      const [note, next] = [messages[at], messages[at + 1]];
      if (note === undefined || next === undefined || next.role === 'tool') return null;
      return withMessages(event, messages.with(at, next).with(at + 1, note));
    }),
  },
  {
    name: 'a character of a note is another one in a later prompt',
    finds: 'note',
    drawn: { strategy: 'strata' },
    corrupt: inNoted(({ event, note, at }) => {
      const content = `${note.text.slice(0, -1)}\u0000`;
      return withMessages(event, event.prompt.messages.with(at, { role: 'user', content }));
    }),
  },
  {
    name: 'a note that an earlier prompt has had is gone, and nothing says why',
    finds: 'note',
    drawn: { strategy: 'strata' },
    corrupt: inNoted(({ event, note, at }) => {
      const { prompt } = event;
      const without = withMessages(event, prompt.messages.toSpliced(at, 1));
      const notes = prompt.manifest.notes.filter(({ text }) => text !== note.text);
      return withNotes(without, notes);
    }),
  },
  {
    name: 'a note stands between a call and its result',
    finds: 'pairing',
    drawn: { strategy: 'hostile' },
    corrupt: inNoted(({ event, note, at }) => {
      const rest = event.prompt.messages.toSpliced(at, 1);
      const result = rest.findIndex(({ role }) => role === 'tool');
      return result === -1 ? null : withMessages(event, rest.toSpliced(result, 0, messageOf(note)));
    }),
  },
  {
    name: 'a note survives a compaction',
    finds: 'note',
    drawn: { strategy: 'recall' },
    corrupt: (seen) => {
      const prompts = seen.events.filter((event) => event.kind === 'prompt');
      for (const event of prompts.toReversed()) {
        const ended = noteBeforeCompaction(seen, event);
        if (ended === undefined) continue;
        const { prompt } = event;
        const { afterStable } = prompt.marks;
        const messages = prompt.messages.toSpliced(afterStable, 0, messageOf(ended));
        const added = withMessages(event, messages);
        return replaced(seen, event, withNotes(added, [...prompt.manifest.notes, { ...ended, isNew: false }]));
      }
      return null;
    },
  },
  {
    name: 'a note quotes what is not on the path',
    finds: 'note',
    drawn: { strategy: 'recall' },
    corrupt: inQuote(({ entries }, { event }) => {
      const hidden = event.prompt.manifest.ranges.filter(({ kind }) => kind === 'off-path');
      return entries.find(
        ({ seq, message }) =>
          typeof message?.content === 'string' && hidden.some(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq),
      );
    }),
  },
  {
    name: 'a note has words of another entry than the one that it names',
    finds: 'note',
    drawn: { strategy: 'hostile' },
    corrupt: inQuote((seen, { note }) => {
      const other = seen.entries.find(
        ({ seq, message }) =>
          typeof message?.content === 'string' && /\w{9}/.test(message.content) && !note.seqs.includes(seq),
      );
      return other === undefined ? undefined : { ...other, seq: note.seqs[0] ?? 0 };
    }),
  },
];

function messageOf({ text }: SeenNote): SeenMessage {
  return { role: 'user', content: text };
}

function withMessages(event: PromptEvent, messages: readonly SeenMessage[]): PromptEvent {
  const { marks } = event.prompt;
  const afterStable = marks.afterStable + messages.length - event.prompt.messages.length;
  return { ...event, prompt: { ...event.prompt, messages, marks: { ...marks, afterStable } } };
}

function withNotes(event: PromptEvent, notes: SeenPrompt['manifest']['notes']): PromptEvent {
  return { ...event, prompt: { ...event.prompt, manifest: { ...event.prompt.manifest, notes } } };
}

function replaced(seen: Observation, event: PromptEvent, by: PromptEvent): Observation {
  return { ...seen, events: seen.events.map((other) => (other === event ? by : other)) };
}

/** Prompts with a note of an earlier one, the last one first. */
function notedIn({ events }: Observation): readonly Noted[] {
  return events.toReversed().flatMap((event): Noted[] => {
    if (event.kind !== 'prompt') return [];
    const { manifest, messages } = event.prompt;
    const note = manifest.notes.find(({ isNew, leftOut }) => !isNew && leftOut === undefined);
    const at = messages.findIndex(({ content }) => content === note?.text);
    return note === undefined || at === -1 ? [] : [{ event, note, at }];
  });
}

/** Changes the last prompt with a note of an earlier one in which `change` finds something to change. */
function inNoted(change: (noted: Noted) => PromptEvent | null): Corruption['corrupt'] {
  return (seen) => {
    for (const noted of notedIn(seen)) {
      const changed = change(noted);
      if (changed !== null) return replaced(seen, noted.event, changed);
    }
    return null;
  };
}

/** A note that an earlier request had made, and that ended with a compaction before this one. */
function noteBeforeCompaction({ entries }: Observation, { prompt }: PromptEvent): SeenNote | undefined {
  const requests = entries.filter(({ type }) => type === 'request');
  const seq = requests[prompt.manifest.request - 1]?.seq ?? 0;
  const before = entries.slice(0, seq - 1);
  const compacted = before.findLastIndex(({ type }) => type === 'compaction');
  const hasNext = before.slice(compacted + 1).every(({ type }) => type !== 'head' && type !== 'revoke');
  return hasNext
    ? before.slice(0, Math.max(0, compacted)).findLast(({ notes }) => notes !== undefined)?.notes?.[0]
    : undefined;
}

/** Lets a note quote another entry wherever it stands: in its prompts, and in the journal. */
function inQuote(choose: (seen: Observation, noted: Noted) => SeenEntry | undefined): Corruption['corrupt'] {
  return (seen) => {
    for (const noted of notedIn(seen)) {
      const { note } = noted;
      const chosen = choose(seen, noted);
      if (chosen === undefined) continue;
      const line = String(chosen.message?.content).trim().split('\n')[0]?.slice(0, 80) ?? '';
      const [heading = ''] = note.text.split('\n');
      const text = `${heading}\n\n#${chosen.seq} somebody: ${line}`;
      const changed: SeenNote = { ...note, text, seqs: [chosen.seq], tokens: 4 + Math.ceil(text.length / 4) };
      return quoting(seen, { note, changed });
    }
    return null;
  };
}

function quoting(
  seen: Observation,
  { note, changed }: { readonly note: SeenNote; readonly changed: SeenNote },
): Observation {
  const { text, seqs, tokens } = changed;
  const change = <Note extends SeenNote>(one: Note): Note =>
    one.text === note.text ? { ...one, text, seqs, tokens: one.tokens === 0 ? 0 : tokens } : one;
  const entries = seen.entries.map((entry) =>
    entry.notes === undefined ? entry : { ...entry, notes: entry.notes.map(change) },
  );
  const events = seen.events.map((event): SeenEvent => {
    if (event.kind !== 'prompt') return event;
    const messages = event.prompt.messages.map((message) =>
      message.content === note.text ? messageOf(changed) : message,
    );
    return withNotes(withMessages(event, messages), event.prompt.manifest.notes.map(change));
  });
  return { ...seen, entries, events };
}
