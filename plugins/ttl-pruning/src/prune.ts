import { type Draft, type Item, type Message, partsOfMessage, type ToolOutput, textsOfMessage } from '@varve/core';
import type { TrimOptions } from './trim-text.ts';
import { trimText } from './trim-text.ts';

/** When and how results are pruned. Sizes in characters. */
export interface PruneRules {
  readonly keepLastAssistants: number;
  readonly softTrimRatio: number;
  readonly hardClearRatio: number;
  readonly minPrunableToolChars: number;
  readonly softTrim: TrimOptions;
  readonly hardClear: { readonly enabled: boolean; readonly placeholder: string };
  readonly images: 'keep' | 'replace';
  /** Whether results of a tool may be pruned. */
  readonly isPrunable: (toolName: string) => boolean;
}

/** The window of a model in characters: four for each token, as the rule of thumb has it. */
const charsPerToken = 4;

/** What an image or a file counts as, in characters. */
const charsPerAttachment = 8_000;

/** A result that may be pruned, and what it is to be shown as. */
interface Candidate {
  readonly item: Item;
  readonly part: number;
  readonly charsBefore: number;
  text: string;
  readonly isTrimmed: boolean;
}

/**
 * Trims and clears old tool results of a draft, if the conversation is large for its window. Sticky: core repeats the
 * edits in every later prompt. Returns nothing when there is nothing to do.
 *
 * 1. Conversation / window, in characters, below `softTrimRatio` → nothing.
 * 2. Every prunable result longer than `maxChars` keeps head and tail (`soft-trim`).
 * 3. Still at `hardClearRatio` or above, and at least `minPrunableToolChars` prunable: results are replaced by the
 *    placeholder, oldest first, until below (`hard-clear`).
 */
export function prune(draft: Draft, rules: PruneRules): Draft | undefined {
  const windowChars = draft.budget.window * charsPerToken;
  let chars = charsOfDraft(draft);
  if (chars / windowChars < rules.softTrimRatio) return undefined;
  const candidates = candidatesOf(draft, rules);
  const prunable = candidates.reduce((sum, { text }) => sum + text.length, 0);
  chars -= candidates.reduce((sum, { charsBefore, text }) => sum + charsBefore - text.length, 0);
  const { enabled, placeholder } = rules.hardClear;
  const cleared = new Set<Candidate>();
  for (const candidate of enabled && prunable >= rules.minPrunableToolChars ? candidates : []) {
    if (chars / windowChars < rules.hardClearRatio) break;
    if (candidate.text.length <= placeholder.length) continue;
    cleared.add(candidate);
    chars -= candidate.text.length - placeholder.length;
  }
  const trimmed = candidates.filter((candidate) => candidate.isTrimmed && !cleared.has(candidate));
  if (trimmed.length + cleared.size === 0) return undefined;
  const texts = new Map(trimmed.map((candidate) => [keyOf(candidate), candidate.text]));
  const clearedKeys = new Set([...cleared].map(keyOf));
  return draft
    .edit((part) => texts.get(keyOf(part)), { rule: 'soft-trim', sticky: true })
    .edit((part) => (clearedKeys.has(keyOf(part)) ? placeholder : undefined), {
      rule: 'hard-clear',
      sticky: true,
      clears: true,
    });
}

function keyOf({ item, part }: { readonly item: Item; readonly part: number }): string {
  return `${item.seq}:${part}`;
}

/** Results from the first user message (or the summary) up to the K-th last assistant message, oldest first. */
function candidatesOf({ items, layers }: Draft, rules: PruneRules): readonly Candidate[] {
  const assistants = items.flatMap(({ message }, index) => (message.role === 'assistant' ? [index] : []));
  const { keepLastAssistants: keep } = rules;
  const cutoff = keep === 0 ? items.length : (assistants.at(-keep) ?? 0);
  const hasSummary = layers.some((layer) => layer.place === 'summary' && layer.text !== '');
  const firstUser = hasSummary ? 0 : items.findIndex(({ message }) => message.role === 'user');
  if (firstUser === -1) return [];
  return items.slice(firstUser, cutoff).flatMap((item) => candidatesOfItem(item, rules));
}

function candidatesOfItem(item: Item, rules: PruneRules): readonly Candidate[] {
  const { message, live, unread, partIndexes, seq } = item;
  if (message.role !== 'tool' || live || unread || item.protected || seq === null) return [];
  return message.content.flatMap(({ output, toolName }, position): Candidate[] => {
    if (!rules.isPrunable(toolName)) return [];
    const attachments = attachmentsOf(output);
    if (attachments > 0 && rules.images === 'keep') return [];
    const name = `#${seq}`;
    const whole = textOf(output, name);
    const text = trimText(whole, { ...rules.softTrim, name });
    const charsBefore = charsOfOutput(output);
    const isTrimmed = text !== whole || attachments > 0;
    return [{ item, part: partIndexes[position] ?? position, charsBefore, text, isTrimmed }];
  });
}

/** What a result says, as text; images and files are named, with the entry that holds them. */
function textOf(output: ToolOutput, name: string): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type !== 'content') return JSON.stringify(output.value);
  const texts = output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type} left out; it is in ${name}]`));
  return texts.join('\n');
}

/** The conversation and what stands in it for older messages; without the system prompt. */
function charsOfDraft({ items, layers }: Draft): number {
  const texts = layers.filter((layer) => layer.place !== 'system').reduce((sum, layer) => sum + layer.text.length, 0);
  return items.reduce((sum, { message }) => sum + charsOfMessage(message), texts);
}

function charsOfMessage(message: Message): number {
  const attachments = partsOfMessage(message).map((part) => {
    if (part.type === 'tool-result') return attachmentsOf(part.output);
    return part.type === 'image' || part.type === 'file' ? 1 : 0;
  });
  return [...textsOfMessage(message).map((text) => text.length), ...attachments.map((n) => n * charsPerAttachment)].reduce(
    (sum, chars) => sum + chars,
    0,
  );
}
