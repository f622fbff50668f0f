import type { CommandReply } from '../../plugins/hooks.ts';
import type { EntryVerdict, Manifest } from '../../prompt/prompt.ts';
import { assemblePrompt } from '../assemble.ts';
import { previewOf } from '../preview.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { startDraft } from '../start-draft.ts';
import type { CommandRun } from './command.ts';
import { numberText } from './number-text.ts';

/** Entries that are named because they take most. */
const mostEntries = 8;
const previewCharacters = 60;

/** Shows what the next prompt would be made of. Stores nothing. */
export async function showContext(runtime: SessionRuntime, { request }: CommandRun): Promise<CommandReply> {
  const { tokens: said, manifest } = await assemblePrompt(runtime, { ...request, dryRun: true });
  const { reserved, input } = startDraft(runtime, request).draft.budget;
  const tokens = said + reserved;
  const notes = { id: 'notes', tokens: manifest.notes.reduce((sum, note) => sum + note.tokens, 0) };
  const layers = [
    ...manifest.layers.map(({ id, tokens: size }) => ({ id, tokens: size })),
    notes,
    { id: 'tools', tokens: reserved },
    conversationOf(manifest),
  ]
    .filter((layer) => layer.tokens > 0)
    .sort((a, b) => b.tokens - a.tokens);
  const changed = changedOf(manifest);
  const ranges = manifest.ranges.map(({ kind, fromSeq, toSeq }) => ({ verdict: kind, fromSeq, toSeq }));
  const top = largestOf(manifest).map((entry) => ({ ...entry, preview: previewAt(runtime, entry.seq) }));
  const text = [
    input === Infinity
      ? `The next prompt has ${numberText(tokens)} tokens, without a limit.`
      : `The next prompt has ${numberText(tokens)} of ${numberText(input)} tokens.`,
    '',
    'By layer:',
    ...layers.map(({ id, tokens: size }) => `  ${numberText(size).padStart(9)}  ${id}`),
    '',
    changed.length + ranges.length === 0 ? 'No message is left out or changed.' : 'Not as they were said:',
    ...ranges.map(({ verdict, fromSeq, toSeq }) => `  ${' '.repeat(9)}  ${verdict} (#${fromSeq} to #${toSeq})`),
    ...changed.map(
      ({ verdict, rule, messages }) =>
        `  ${numberText(messages).padStart(9)}  ${verdict}${rule === null ? '' : ` (${rule})`}`,
    ),
    '',
    'Largest messages:',
    ...top.map(
      ({ seq, role, tokens: size, preview }) => `  ${numberText(size).padStart(9)}  #${seq} ${role}: ${preview}`,
    ),
  ].join('\n');
  const budgetTokens = input === Infinity ? null : input;
  return { text, data: { tokens, budgetTokens, layers, ranges, changed, top } };
}

function conversationOf({ entries, madeUpTokens }: Manifest): { readonly id: string; readonly tokens: number } {
  return {
    id: 'conversation',
    tokens: entries.reduce((sum, { role, tokens }) => sum + (role === 'system' ? 0 : tokens), madeUpTokens),
  };
}

/** Messages with one verdict, by one rule. A type, since what a reply holds is JSON. */
type Changed = { readonly verdict: string; readonly rule: string | null; readonly messages: number };

/** How many messages each rule has left out or shortened, beside the ranges that a summary covers. */
function changedOf({ entries }: Manifest): Changed[] {
  const counts = new Map<string, Changed>();
  const add = (verdict: string, rule: string | null): void => {
    const id = JSON.stringify([verdict, rule]);
    counts.set(id, { verdict, rule, messages: (counts.get(id)?.messages ?? 0) + 1 });
  };
  for (const { kind, rule = null } of entries) if (kind !== 'kept') add(kind, rule);
  return [...counts.values()].sort((a, b) => b.messages - a.messages);
}

function largestOf({ entries }: Manifest): Pick<EntryVerdict, 'seq' | 'role' | 'tokens'>[] {
  return entries
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, mostEntries)
    .map(({ seq, role, tokens }) => ({ seq, role, tokens }));
}

function previewAt({ journal }: SessionRuntime, seq: number): string {
  const { held, messages } = journal.folded();
  const entry = [...held, ...messages].find((one) => one.seq === seq);
  return entry === undefined ? '' : previewOf(entry.message, previewCharacters);
}
