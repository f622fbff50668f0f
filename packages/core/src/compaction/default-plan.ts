import { renderedFrameTokens } from '../digest/render-digest.ts';
import type { Draft, Group, Item } from '../draft/draft.ts';
import { parkText } from '../draft/park.ts';
import { madeUpPart } from '../draft/thread.ts';
import type { CompactionRange, CompactTrigger, Edit, EntryRef, MessageEntry } from '../journal/entry.ts';
import { refOf } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import { type MessagePart, partsOfMessage } from '../message.ts';
import { textOfOutput } from '../text-of-output.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq, Tokens } from '../units.ts';
import type { Plan, PlanOptions, Refusal } from './compaction.ts';

/** Shares of what a rebuilt prompt may hold above its fixed part; the tail gets the rest. */
const userLogShare = 0.15;
const ledgerShare = 0.15;
const proseShare = 0.15;

/** A cut may move this far into the kept tail, as a share of it, to begin at a user message. */
const userMessageReach = 0.25;

/** A result is only masked when its text is longer than this: a mask costs about 20 tokens. */
const leastMaskedTokens = 60;

/** A held message that takes more than this share of the target is shortened. */
const heldShare = 0.25;

/** What a plan is made from. */
export interface PlanInput {
  readonly sessionId: string;
  readonly folded: Folded;
  readonly draft: Draft;
  readonly counter: TokenCounter;
  readonly trigger: CompactTrigger;
  readonly instructions: string | null;
  /** True when plugins may write prose: its share is kept free. */
  readonly hasProse: boolean;
}

/**
 * Plans a compaction: everything up to a legal cut is summarised, what stays has its old results masked. A cut is legal
 * where no group has members on both sides. Pure.
 */
export function planCompaction(input: PlanInput, options: PlanOptions = {}): Plan | Refusal {
  const { folded, draft } = input;
  const groups = maskedGroups(input, options);
  if (groups.length < 2) return nothing('There is nothing before the newest message.');
  const sizes = sizesOf(input, options);
  const cut = chooseCut(groups, { tailTokens: sizes.tailTokens, held: folded.held.length });
  if (cut === null)
    return nothing('Nothing before the newest messages can be left out without parting a call from its result.');
  const range = rangeOf(groups, { cut, folded });
  if (range === null) return nothing('Everything before the newest messages is summarised already.');
  const kept = groups.slice(cut);
  const edits = [
    ...kept.flatMap((group) => group.edits),
    ...shortenHeld(input, { range, room: sizes.roomTokens }),
    ...(options.parkUnread === true ? parkGiants(input, { kept, room: sizes.roomTokens }) : []),
  ];
  const covered = groups.slice(0, cut);
  const keptTokens = kept.reduce((tokens, group) => tokens + group.tokens, 0);
  const digestTokens = sizes.shares.userLogTokens + sizes.shares.ledgerTokens + renderedFrameTokens;
  return {
    base: { sessionId: input.sessionId, seq: folded.lastSeq },
    trigger: input.trigger,
    instructions: input.instructions,
    range,
    actions: [
      {
        op: 'summarise',
        groups: covered.map(({ group }) => group.id),
        rule: 'oldest-first',
        tokens: covered.reduce((tokens, { group }) => tokens + group.tokens, 0),
      },
      ...(edits.length === 0 ? [] : [{ op: 'edit' as const, edits, rule: 'mask-old-results', tokens: 0 }]),
    ],
    expect: { tokensBefore: draft.tokens, tokensAfter: draft.budget.fixed + digestTokens + keptTokens },
    shares: sizes.shares,
    by: { plugin: 'core', version: '1' },
  };
}

function nothing(why: string): Refusal {
  return { refused: 'nothing-to-do', why };
}

interface MaskedGroup {
  readonly group: Group;
  readonly edits: readonly Edit[];
  /** Tokens with the edits made. */
  readonly tokens: Tokens;
}

/** The groups of the draft with their old results masked, oldest first. */
function maskedGroups({ draft, counter, folded }: PlanInput, options: PlanOptions): readonly MaskedGroup[] {
  const after = options.maskAfterAssistants === undefined ? 2 : options.maskAfterAssistants;
  const groups = draft.groups();
  const known = new Map([...folded.held, ...folded.messages].map((entry) => [entry.seq, entry]));
  let assistantsBehind = 0;
  const masked = groups.toReversed().map((group): MaskedGroup => {
    const isAssistant = group.items.some((item) => item.message.role === 'assistant');
    const old = after !== null && isAssistant && assistantsBehind >= after && !group.protected;
    if (isAssistant) assistantsBehind += 1;
    const edits = old
      ? group.items.flatMap((item) => maskItem(item, { counter, entry: known.get(item.seq ?? 0) }))
      : [];
    return { group, edits: edits.map(({ edit }) => edit), tokens: group.tokens - sum(edits.map(({ saved }) => saved)) };
  });
  return masked.reverse();
}

function maskItem(
  item: Item,
  { counter, entry }: { readonly counter: TokenCounter; readonly entry: MessageEntry | undefined },
): readonly { readonly edit: Edit; readonly saved: Tokens }[] {
  if (item.message.role !== 'tool' || entry === undefined || item.unread) return [];
  return item.message.content.flatMap((part, position) => {
    const text = textOfOutput(part.output);
    const tokens = counter.count(text);
    if (tokens < leastMaskedTokens) return [];
    const mask = `[${text.split('\n').length} lines, about ${tokens} tokens left out; the whole is in #${entry.seq}]`;
    const saved = tokens - counter.count(mask);
    if (saved <= 0) return [];
    const index = item.partIndexes[position] ?? position;
    return [
      {
        edit: {
          entryId: entry.id,
          seq: entry.seq,
          part: index,
          rule: 'mask-old-result',
          text: mask,
          verdict: 'cleared',
        },
        saved,
      },
    ];
  });
}

interface Sizes {
  readonly shares: Plan['shares'];
  readonly tailTokens: Tokens;
  /** All that a rebuilt prompt may hold above its fixed part. */
  readonly roomTokens: Tokens;
}

function sizesOf({ draft, hasProse, trigger }: PlanInput, options: PlanOptions): Sizes {
  const { budget } = draft;
  const used = draft.tokens + budget.reserved - budget.fixed;
  const aim =
    trigger === 'manual' || budget.target === Infinity
      ? Math.min(budget.target - budget.fixed, used / 2)
      : budget.target - budget.fixed;
  const room = Math.max(0, Math.floor(aim * (options.scale ?? 1)));
  const shares = {
    userLogTokens: Math.floor(room * userLogShare),
    ledgerTokens: Math.floor(room * ledgerShare),
    proseTokens: hasProse ? Math.floor(room * proseShare) : 0,
  };
  const held = draft.groups().findLast((group) => isUser(group))?.tokens ?? 0;
  const others = shares.userLogTokens + shares.ledgerTokens + shares.proseTokens + renderedFrameTokens;
  const rest = room - others - Math.min(held, room * heldShare);
  return { shares, tailTokens: Math.max(0, Math.min(rest, options.keepTokens ?? rest)), roomTokens: room };
}

/**
 * Index of the first group that stays; `null` when no legal cut leaves anything out. The held messages in front are in
 * no range any more: leaving them out alone would cover nothing.
 */
function chooseCut(
  groups: readonly MaskedGroup[],
  { tailTokens, held }: { readonly tailTokens: Tokens; readonly held: number },
): number | null {
  const legal = legalCuts(groups.map(({ group }) => group)).filter((index) => index > held);
  const newest = firstThatMustStay(groups.map(({ group }) => group));
  let tokens = 0;
  let first = groups.length;
  while (first > 0 && tokens + (groups[first - 1]?.tokens ?? 0) <= tailTokens) {
    first -= 1;
    tokens += groups[first]?.tokens ?? 0;
  }
  first = Math.min(Math.max(first, 1), newest);
  const cut = legal.find((index) => index >= first && index <= newest) ?? legal.findLast((index) => index <= newest);
  if (cut === undefined) return null;
  return userMessageNear(groups, { cut, newest, legal, reach: tokens * userMessageReach });
}

/** Cuts that no group straddles, in order. A cut at 0 leaves nothing out and is none. */
function legalCuts(groups: readonly Group[]): readonly number[] {
  const seqs = groups.map((group) => group.items.flatMap((item) => (item.seq === null ? [] : [item.seq])));
  const newestUpTo: Seq[] = [];
  for (const own of seqs) newestUpTo.push(Math.max(newestUpTo.at(-1) ?? 0, ...own));
  const legal: number[] = [];
  let oldestFrom = Infinity;
  for (let index = groups.length - 1; index >= 1; index -= 1) {
    oldestFrom = Math.min(oldestFrom, ...(seqs[index] ?? []));
    if ((newestUpTo[index - 1] ?? 0) < oldestFrom) legal.push(index);
  }
  return legal.reverse();
}

/** What the model has not read yet always stays: the newest group, and unread results with what follows them. */
function firstThatMustStay(groups: readonly Group[]): number {
  const unread = groups.findIndex((group) => group.unread);
  let index = unread === -1 ? groups.length - 1 : unread;
  while (unread === -1 && index > 0 && isUser(groups[index - 1]) && isUser(groups[index])) index -= 1;
  return index;
}

/** A result without a call stands on the user's side too, but begins no turn. */
function isUser(group: Group | undefined): boolean {
  const first = group?.items[0];
  return first?.message.role === 'user' && first.partIndexes[0] !== madeUpPart;
}

function userMessageNear(
  groups: readonly MaskedGroup[],
  options: { readonly cut: number; readonly newest: number; readonly legal: readonly number[]; readonly reach: Tokens },
): number {
  let given = 0;
  for (let index = options.cut; index <= options.newest; index += 1) {
    if (given > options.reach) break;
    if (isUser(groups[index]?.group) && options.legal.includes(index)) return index;
    given += groups[index]?.tokens ?? 0;
  }
  return options.cut;
}

/** The stretch of entries before the cut, and the user message in it whose turn goes on behind the cut. */
function rangeOf(
  groups: readonly MaskedGroup[],
  { cut, folded }: { readonly cut: number; readonly folded: Folded },
): CompactionRange | null {
  const keptFrom = Math.min(
    ...groups.slice(cut).flatMap(({ group }) => group.items.map((item) => item.seq ?? Infinity)),
  );
  const covered = folded.messages.filter((entry) => entry.seq < keptFrom);
  const [from, to] = [covered[0], covered.at(-1)];
  const firstKept = folded.messages.find((entry) => entry.seq >= keptFrom);
  if (from === undefined || to === undefined || firstKept === undefined) return null;
  return { from: refOf(from), to: refOf(to), firstKept: refOf(firstKept), held: heldBy(groups, { cut, folded }) };
}

/** The newest words of the user before the cut, unless newer ones stay; what only stands on the user's side if none. */
function heldBy(
  groups: readonly MaskedGroup[],
  { cut, folded }: { readonly cut: number; readonly folded: Folded },
): EntryRef | null {
  const entries = new Map([...folded.held, ...folded.messages].map((entry) => [entry.id, entry]));
  const said = groups.map(({ group }) => (isUser(group) ? entries.get(group.items[0]?.entryId ?? '') : undefined));
  const kept = said.slice(cut).filter((entry) => entry !== undefined);
  const covered = said.slice(0, cut).filter((entry) => entry !== undefined);
  const newest = covered.findLast(isInWords);
  if (kept.some(isInWords) || (newest === undefined && kept.length > 0)) return null;
  const held = newest ?? covered.at(-1);
  return held === undefined ? null : refOf(held);
}

/** True for what a person said: not for what a program put in the person's place, nor for blank text. */
function isInWords({ message, provenance }: MessageEntry): boolean {
  const isSaid = partsOfMessage(message).some((part) => part.type !== 'text' || part.text.trim() !== '');
  return provenance.kind === 'user' && isSaid;
}

function shortenHeld(
  { folded, counter }: PlanInput,
  { range, room }: { readonly range: CompactionRange; readonly room: Tokens },
): readonly Edit[] {
  const held = [...folded.held, ...folded.messages].find((entry) => entry.id === range.held?.id);
  if (held === undefined || held.tokens.n <= room * heldShare) return [];
  const { content } = held.message;
  const texts = typeof content === 'string' ? [content] : content.map(textOfPart);
  return texts.flatMap((text, part) => parkEdit({ entry: held, part, text, counter, rule: 'park-held' }));
}

/** Shortens results of the newest group when it would fill the room alone. */
function parkGiants(
  { counter, folded }: PlanInput,
  { kept, room }: { readonly kept: readonly MaskedGroup[]; readonly room: Tokens },
): readonly Edit[] {
  const known = new Map([...folded.held, ...folded.messages].map((entry) => [entry.id, entry]));
  return kept
    .filter(({ group, tokens }) => group.unread || tokens > room * heldShare)
    .flatMap(({ group }) => group.items)
    .flatMap((item) => {
      const entry = known.get(item.entryId ?? '');
      if (entry?.message.role !== 'tool') return [];
      return partsOfMessage(item.message).flatMap((part, position) => {
        const index = item.partIndexes[position] ?? position;
        if (index === madeUpPart) return [];
        const text = part.type === 'tool-result' ? textOfOutput(part.output) : textOfPart(part);
        return parkEdit({ entry, part: index, text, counter, rule: 'park-unread' });
      });
    });
}

function textOfPart(part: MessagePart): string {
  return part.type === 'text' ? part.text : '';
}

function parkEdit(options: {
  readonly entry: MessageEntry;
  readonly part: number;
  readonly text: string;
  readonly counter: TokenCounter;
  readonly rule: string;
}): readonly Edit[] {
  const { entry, part, text, counter, rule } = options;
  const parked = parkText(text, { name: `#${entry.seq}`, counter });
  if (parked.length >= text.length) return [];
  return [{ entryId: entry.id, seq: entry.seq, part, rule, text: parked, verdict: 'parked' }];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}
