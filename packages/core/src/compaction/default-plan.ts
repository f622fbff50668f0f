import { renderedFrameTokens } from '../digest/render-digest.ts';
import type { Draft } from '../draft/draft.ts';
import { beginsTurn, turnAcross } from '../draft/user-words.ts';
import { withoutNotes } from '../draft/without-notes.ts';
import type { CompactionRange, CompactTrigger, MessageEntry } from '../journal/entry.ts';
import { refOf } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Tokens, Ulid } from '../units.ts';
import { chooseCut, oldestSeqOf } from './choose-cut.ts';
import type { Plan, PlanOptions, Refusal } from './compaction.ts';
import { heldShare, maskOldResults, parkGiants, shortenHeld } from './plan-edits.ts';

/** Shares of what a rebuilt prompt may hold above its fixed part; the tail gets the rest. */
const userLogShare = 0.15;
const defaultLedgerShare = 0.15;
const proseShare = 0.15;

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
  const { folded, counter } = input;
  // Every compaction ends all notes: they are neither covered nor kept.
  const draft = withoutNotes(input.draft, 'compaction');
  const groups = draft.groups();
  if (groups.length < 2) return nothing('There is nothing before the newest message.');
  const entries = entriesOf(folded);
  const source = { draft, counter, entries };
  const masked = maskOldResults(source, options.maskAfterAssistants === undefined ? 2 : options.maskAfterAssistants);
  const asked = groups.findLastIndex(beginsTurn);
  const sizes = sizesOf(input, { ...options, asked, askedTokens: groups[asked]?.tokens ?? 0 });
  const held = folded.held.filter((entry) => entry.message.role !== 'system').length;
  const cut = chooseCut(masked, { tailTokens: sizes.tailTokens, held });
  if (cut === null)
    return nothing('Nothing before the newest messages can be left out without parting a call from its result.');
  const range = rangeOf({ draft, folded }, cut);
  if (range === null) return nothing('Everything before the newest messages is summarised already.');
  const kept = groups.map((_, index) => index).slice(cut);
  const edits = [
    ...kept.flatMap((index) => masked.editsOf(index)),
    ...shortenHeld(source, { range, room: sizes.roomTokens }),
    ...(options.parkUnread === true ? parkGiants(source, { masked, cut, room: sizes.roomTokens }) : []),
  ];
  const covered = groups.slice(0, cut);
  const keptTokens = kept.reduce((tokens, index) => tokens + masked.tokensOf(index), 0);
  const digestTokens = sizes.shares.userLogTokens + sizes.shares.ledgerTokens + renderedFrameTokens;
  return {
    base: { sessionId: input.sessionId, seq: folded.lastSeq },
    trigger: input.trigger,
    instructions: input.instructions,
    range,
    actions: [
      {
        op: 'summarise',
        groups: covered.map((group) => group.id),
        rule: 'oldest-first',
        tokens: covered.reduce((tokens, group) => tokens + group.tokens, 0),
      },
      ...(edits.length === 0 ? [] : [{ op: 'edit' as const, edits, rule: 'mask-old-results', tokens: 0 }]),
    ],
    expect: {
      tokensBefore: input.draft.tokens,
      tokensAfter: draft.budget.fixed + besideTokens(draft) + digestTokens + keptTokens,
    },
    shares: sizes.shares,
    by: { plugin: 'core', version: '1' },
  };
}

function nothing(why: string): Refusal {
  return { refused: 'nothing-to-do', why };
}

function entriesOf({ held, messages }: Folded): ReadonlyMap<Ulid, MessageEntry> {
  return new Map([...held, ...messages].map((entry) => [entry.id, entry]));
}

/** What plugins put beside the conversation: it takes of the room above the fixed part, and no compaction lowers it. */
function besideTokens({ layers }: Draft): Tokens {
  return layers.reduce((sum, { by, place, tokens }) => (by === 'core' || place === 'system' ? sum : sum + tokens), 0);
}

interface Sizes {
  readonly shares: Plan['shares'];
  /** What the kept tail may take when it reaches back to a group: no room is left for words of the user that are in it. */
  tailTokens(reaches: number): Tokens;
  /** All that a rebuilt prompt may hold above its fixed part. */
  readonly roomTokens: Tokens;
}

function sizesOf(
  { draft, hasProse, trigger }: PlanInput,
  {
    scale = 1,
    keepTokens = Infinity,
    ledgerShare = defaultLedgerShare,
    asked,
    askedTokens,
  }: PlanOptions & { readonly asked: number; readonly askedTokens: Tokens },
): Sizes {
  const { budget } = draft;
  const beside = besideTokens(draft);
  const used = draft.tokens + budget.reserved - budget.fixed - beside;
  const aim =
    trigger === 'manual' || budget.target === Infinity
      ? Math.min(budget.target - budget.fixed - beside, used / 2)
      : budget.target - budget.fixed - beside;
  const room = Math.max(0, Math.floor(aim * scale));
  const shares = {
    userLogTokens: Math.floor(room * userLogShare),
    ledgerTokens: Math.floor(room * ledgerShare),
    proseTokens: hasProse ? Math.floor(room * proseShare) : 0,
  };
  const held = Math.min(askedTokens, room * heldShare);
  const others = shares.userLogTokens + shares.ledgerTokens + shares.proseTokens + renderedFrameTokens;
  const tailTokens = (reaches: number): Tokens => {
    const rest = room - others - (reaches <= asked ? 0 : held);
    return Math.max(0, Math.min(rest, keepTokens));
  };
  return { shares, tailTokens, roomTokens: room };
}

/** The stretch of entries before the cut, and the user message in it whose turn goes on behind the cut. */
function rangeOf({ draft, folded }: Pick<PlanInput, 'draft' | 'folded'>, cut: number): CompactionRange | null {
  const keptFrom = draft
    .groups()
    .slice(cut)
    .reduce((oldest, group) => Math.min(oldest, oldestSeqOf(group)), Infinity);
  const covered = folded.messages.filter((entry) => entry.seq < keptFrom);
  const [from, to] = [covered[0], covered.at(-1)];
  const firstKept = folded.messages.find((entry) => entry.seq >= keptFrom);
  if (from === undefined || to === undefined || firstKept === undefined) return null;
  const heldSeq = turnAcross(draft, to.seq);
  const held = [...folded.held, ...folded.messages].find((entry) => entry.seq === heldSeq);
  return {
    from: refOf(from),
    to: refOf(to),
    firstKept: refOf(firstKept),
    held: held === undefined ? null : refOf(held),
  };
}
