import {
  type Draft,
  type Item,
  isRecovered,
  type Seq,
  type Tokens,
  type ToolOutput,
  type ToolResultPart,
} from '@varve/core';
import { attachmentsOf, charsOfMessage } from './count-chars.ts';
import { type TrimOptions, trimText } from './trim-text.ts';

/** Which results may be pruned, and how long ones are trimmed. */
export interface CandidateRules {
  /** Nothing from this many assistant messages before the end on is touched. */
  readonly keepLastAssistants: number;
  readonly softTrim: TrimOptions;
  readonly images: 'keep' | 'replace';
  /** Whether results of a tool may be pruned. */
  readonly isPrunable: (toolName: string) => boolean;
}

/** A result that may be pruned, and what soft-trim makes of it. Sizes in characters where they are no tokens. */
export interface Candidate {
  /** Names the result in its draft, as `keyOf` does. */
  readonly key: string;
  readonly part: ToolResultPart;
  readonly seq: Seq;
  readonly groupId: string;
  /** Text after soft-trim. */
  readonly text: string;
  readonly charsBefore: number;
  /** Characters after soft-trim. */
  readonly chars: number;
  /** What it costs now. */
  readonly tokens: Tokens;
}

/** Names a result of a draft: the entry's seq and the index of the part in the entry's message. */
export function keyOf({ seq }: Item, part: number): string {
  return `${seq}:${part}`;
}

/**
 * Results from the first user message, or the summary, up to the K-th last assistant message; oldest first. What was
 * fetched back is none: the model would fetch it once more.
 */
export function candidatesOf({ items, layers }: Draft, rules: CandidateRules): readonly Candidate[] {
  const { keepLastAssistants: keep } = rules;
  const assistants = items.flatMap(({ message }, index) => (message.role === 'assistant' ? [index] : []));
  const cutoff = keep === 0 ? items.length : (assistants.at(-keep) ?? 0);
  const hasSummary = layers.some((layer) => layer.place === 'summary' && layer.text !== '');
  const start = hasSummary ? 0 : items.findIndex(({ message }) => message.role === 'user');
  if (start === -1) return [];
  return items.slice(start, cutoff).flatMap((item) => candidatesOnce(item, rules));
}

/** Items are frozen, and the same in the next draft: only what came since is worked out. */
const made = new WeakMap<Item, { readonly rules: CandidateRules; readonly candidates: readonly Candidate[] }>();

function candidatesOnce(item: Item, rules: CandidateRules): readonly Candidate[] {
  const known = made.get(item);
  if (known?.rules === rules) return known.candidates;
  const candidates = candidatesOfItem(item, rules);
  made.set(item, { rules, candidates });
  return candidates;
}

function candidatesOfItem(item: Item, rules: CandidateRules): readonly Candidate[] {
  const { message, seq, groupId, partIndexes } = item;
  if (message.role !== 'tool' || seq === null || item.live || item.unread || item.protected) return [];
  const charsOfItem = Math.max(1, charsOfMessage(message));
  return message.content.flatMap((part, position): Candidate[] => {
    if (isRecovered(part)) return [];
    const hasAttachments = attachmentsOf(part.output) > 0;
    if (!rules.isPrunable(part.toolName) || (hasAttachments && rules.images === 'keep')) return [];
    const name = `#${seq}`;
    const whole = textOf(part.output, name);
    const text = trimText(whole, { ...rules.softTrim, name });
    const charsBefore = charsOfMessage({ role: 'tool', content: [part] });
    const chars = hasAttachments || text !== whole ? text.length : charsBefore;
    const tokens = (item.tokens * charsBefore) / charsOfItem;
    return [
      { key: keyOf(item, partIndexes[position] ?? position), part, seq, groupId, text, charsBefore, chars, tokens },
    ];
  });
}

/** What a result says, as text; images and files are named, with the entry that holds them. */
function textOf(output: ToolOutput, name: string): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type !== 'content') return JSON.stringify(output.value);
  return output.value
    .map((part) => (part.type === 'text' ? part.text : `[${part.type} left out; it is in ${name}]`))
    .join('\n');
}
