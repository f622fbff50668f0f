import type { CompactTrigger, HeadEntry } from '@varve/core';
import {
  type Conversation,
  generateConversation,
  measureTraits,
  type Random,
  seededRandom,
  type Trait,
} from '@varve/testkit';
import { asksSummariser, type Factors, factorsOf, prunes, recalls } from './factors.ts';

/** When a call is aborted: not at all, before it begins, or after so many steps of it. */
type Abort = 'never' | 'before' | number;

/** What is to be undone: a compaction that is made for it, the newest, or any entry of a type. `pick` chooses. */
type UndoWhat = 'fresh-compaction' | 'newest-compaction' | 'compaction' | 'edit' | 'state';

/** One thing that a host does. Numbers named `pick` choose among what there is by then. */
export type Operation =
  | { readonly do: 'say'; readonly index: number; readonly provenance: 'user' | 'system-event' | 'inter-session' }
  | { readonly do: 'rule'; readonly pick: number }
  | { readonly do: 'ask'; readonly tools: boolean; readonly dry: boolean; readonly abort: Abort }
  | { readonly do: 'compact'; readonly trigger: CompactTrigger; readonly abort: Abort }
  | { readonly do: 'plan'; readonly pick: number; readonly late: boolean }
  | { readonly do: 'undo'; readonly what: UndoWhat; readonly pick: number }
  | { readonly do: 'move'; readonly pick: number; readonly reason: HeadEntry['reason'] }
  | { readonly do: 'model'; readonly pick: number; readonly set: boolean }
  /** A compaction, a message, and an undo or a move of the head, all at the same time. */
  | { readonly do: 'race'; readonly pick: number }
  | { readonly do: 'set' | 'state'; readonly pick: number }
  /** Asks about what a compaction has hidden. */
  | { readonly do: 'look-back'; readonly pick: number }
  | { readonly do: 'reopen'; readonly budget: number | null | 'same' }
  /** Makes a summariser that has not been asked yet be asked. */
  | { readonly do: 'wait' | 'other-host' | 'provoke' };

/** A transcript as its seed decides it. */
export interface TranscriptPlan extends Factors {
  readonly seed: number;
  readonly store: 'memory' | 'jsonl';
  /** Tokens of a prompt; `null` for no limit. */
  readonly budget: number | null;
  readonly conversation: Conversation;
  readonly traits: readonly Trait[];
  readonly operations: readonly Operation[];
}

const budgets = [
  1,
  60,
  250,
  700,
  1_500,
  1_500,
  3_000,
  3_000,
  6_000,
  6_000,
  12_000,
  24_000,
  60_000,
  400_000,
  null,
] as const;

const shares = {
  jsonl: 0.03,
  long: 0.01,
  large: 0.01,
  ask: 0.35,
  other: 0.3,
  /** How often time passes before an operation, where that makes a difference. */
  wait: 0.12,
  odd: 0.06,
} as const;

/** Plans the transcript of a seed. */
export function planTranscript(seed: number): TranscriptPlan {
  const random = seededRandom(seed);
  const length = random.chance(shares.long) ? random.integer(20, 32) : random.integer(1, 5);
  const conversation = generateConversation({ seed, length, largeShare: shares.large });
  const found = measureTraits([conversation]);
  const factors = factorsOf(seed);
  const last: Operation = { do: 'ask', tools: false, dry: true, abort: 'never' };
  return {
    seed,
    ...factors,
    store: random.chance(shares.jsonl) ? 'jsonl' : 'memory',
    budget: random.pick(budgets),
    conversation,
    traits: found.filter(({ ofConversations }) => ofConversations > 0).map(({ trait }) => trait),
    operations: [
      ...operationsOf(conversation, { random, prunes: prunes(factors.strategy) }),
      ...(asksSummariser(factors.strategy) ? [{ do: 'provoke' } as const] : []),
      ...(recalls(factors.strategy) ? [{ do: 'look-back', pick: seed } as const] : []),
      last,
    ],
  };
}

function operationsOf(
  { utterances }: Conversation,
  { random, prunes }: { readonly random: Random; readonly prunes: boolean },
): readonly Operation[] {
  return utterances.flatMap(({ message }, index): readonly Operation[] => {
    const isOdd = message.role === 'user' && random.chance(shares.odd);
    const provenance = isOdd ? random.pick(['system-event', 'inter-session'] as const) : 'user';
    return [
      { do: 'say', index, provenance },
      ...(prunes && random.chance(shares.wait) ? [{ do: 'wait' } as const] : []),
      ...(random.chance(shares.ask) ? [askOf(random)] : []),
      ...(random.chance(shares.other) ? [otherOf(random)] : []),
    ];
  });
}

function askOf(random: Random): Operation {
  const dry = random.chance(0.25);
  const abort = dry || random.chance(0.94) ? 'never' : abortOf(random);
  return { do: 'ask', tools: random.chance(0.2), dry, abort };
}

function abortOf(random: Random): Abort {
  return random.chance(0.3) ? 'before' : random.integer(0, 40);
}

type OtherKind = Exclude<Operation['do'], 'say' | 'ask' | 'look-back'>;

const kinds = [
  ...['compact', 'compact', 'compact', 'plan', 'plan', 'undo', 'undo', 'undo', 'move', 'move', 'move'],
  ...['model', 'set', 'state', 'state', 'reopen', 'reopen', 'wait', 'other-host', 'rule', 'race', 'race'],
] as unknown as readonly [OtherKind, ...OtherKind[]];

const undoable = ['fresh-compaction', 'newest-compaction', 'compaction', 'edit', 'edit', 'state'] as const;

function otherOf(random: Random): Operation {
  const kind = random.pick(kinds);
  const pick = random.integer(0, 1_000_000);
  switch (kind) {
    case 'compact': {
      const trigger = random.pick(['manual', 'manual', 'threshold', 'overflow', 'background'] as const);
      return { do: kind, trigger, abort: random.chance(0.12) ? abortOf(random) : 'never' };
    }
    case 'plan':
      return { do: kind, pick, late: random.chance(0.3) };
    case 'undo':
      return { do: kind, what: random.pick(undoable), pick };
    case 'move':
      return { do: kind, pick, reason: random.pick(['rewind', 'branch', 'restore'] as const) };
    case 'model':
      return { do: kind, pick, set: random.chance(0.3) };
    case 'reopen':
      return { do: kind, budget: random.chance(0.3) ? random.pick(budgets) : 'same' };
    case 'race':
    case 'set':
    case 'state':
    case 'rule':
      return { do: kind, pick };
    default:
      return { do: kind };
  }
}
