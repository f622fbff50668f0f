import type { Edit, Item, Plan } from '@varve/core';
import type { Random } from '@varve/testkit';

/** As much of a draft's item as a plan names. */
type PlannedItem = Pick<Item, 'seq' | 'entryId'>;

/** A plan with something about it changed, mostly into one that cannot be carried out. */
export function changePlan(
  plan: Plan,
  { items, random }: { readonly items: readonly PlannedItem[]; readonly random: Random },
): Plan {
  const entries = items.filter(({ seq, entryId }) => seq !== null && entryId !== null);
  const any = random.integer(0, Math.max(0, entries.length - 1));
  const refAt = (index: number) => {
    const item = entries[index];
    return { id: item?.entryId ?? 'nowhere', seq: item?.seq ?? 0 };
  };
  const { range, base, shares } = plan;
  const next = any + 1 < entries.length ? refAt(any + 1) : null;
  switch (random.integer(0, 7)) {
    case 0:
      return { ...plan, range: { ...range, to: refAt(any), firstKept: next } };
    case 1:
      return { ...plan, range: { ...range, firstKept: refAt(any) } };
    case 2:
      return { ...plan, range: { ...range, from: refAt(any) } };
    case 3:
      return { ...plan, range: { ...range, held: random.chance(0.5) ? null : refAt(any) } };
    case 4:
      return { ...plan, base: { ...base, seq: base.seq + random.integer(-3, 3) } };
    case 5:
      return { ...plan, shares: { ...shares, userLogTokens: random.pick([-1, 0, 5_000] as const) } };
    case 6:
      return { ...plan, actions: [{ op: 'edit', edits: [editOf(entries[any], random)], rule: 'change', tokens: 0 }] };
    default:
      return { ...plan, range: { ...range, to: { id: 'nowhere', seq: range.to.seq } } };
  }
}

function editOf(item: PlannedItem | undefined, random: Random): Edit {
  const part = random.integer(0, 2);
  const text = random.pick(['', 'Changed by a plan.', '$& '.repeat(40)] as const);
  return { entryId: item?.entryId ?? 'nowhere', seq: item?.seq ?? 0, part, rule: 'change', text, verdict: 'edited' };
}
