import { buildDigest, createHost, type MessageEntry, memoryStore, renderDigest, tableCounter } from '@varve/core';
import { needsAfterCut, survivors } from '../judge/compaction-recall.ts';
import { tokensOf } from '../judge/count-tokens.ts';
import type { Trajectory } from '../sets/trajectory.ts';
import { messageOf } from '../strategies/product-run.ts';

/** M4 of one way of summarising, over many cuts. */
export interface Survival {
  readonly method: string;
  /** Size that was asked for. */
  readonly budget: number | 'as recorded';
  readonly cuts: number;
  readonly needs: number;
  /** Share of the needs that the text holds. */
  readonly share: number;
  /** Mean size of the text. */
  readonly tokens: number;
}

/** Where a session is cut, as shares of it. */
const places = [0.4, 0.55, 0.7, 0.85];
const budgets = [500, 1_000, 2_000, 4_000];
const ledgersBeside = [500, 1_000];

/** Cuts sessions at four places, and asks what the product's digest of so many tokens keeps of what is needed next. */
export async function simulatedSurvival(trajectories: readonly Trajectory[]): Promise<readonly Survival[]> {
  const tallies = budgets.map((budget) => createSurvival('digest', budget));
  for (const trajectory of trajectories) {
    const { turns } = trajectory;
    const entries = await entriesOf(trajectory);
    const end = trajectory.compactions[0]?.at ?? turns.length;
    for (const place of places) {
      let at = Math.floor(end * place);
      while (at < end && turns[at]?.role === 'tool') at += 1;
      const needs = needsAfterCut(turns, { at, keptFrom: at, end });
      for (const [index, budget] of budgets.entries()) {
        tallies[index]?.add(needs, digestText(entries.slice(0, at), { budget, ledgerShare: 0.5 }));
      }
    }
  }
  return tallies.map((tally) => tally.survival());
}

/** The same at the compactions that were recorded, beside the summaries that models wrote there. */
export async function recordedSurvival(trajectories: readonly Trajectory[]): Promise<readonly Survival[]> {
  const model = createSurvival('summary of a model', 'as recorded');
  const digest = createSurvival('digest of the same size', 'as recorded');
  const both = ledgersBeside.map((size) => createSurvival(`summary of a model + ledger of ${size}`, 'as recorded'));
  for (const trajectory of trajectories) {
    const entries = trajectory.compactions.length === 0 ? [] : await entriesOf(trajectory);
    for (const [index, { at, keptFrom, summary }] of trajectory.compactions.entries()) {
      if (summary === '') continue;
      const end = trajectory.compactions[index + 1]?.at ?? trajectory.turns.length;
      const needs = needsAfterCut(trajectory.turns, { at, keptFrom, end });
      const covered = entries.slice(0, keptFrom);
      model.add(needs, summary);
      digest.add(needs, digestText(covered, { budget: tokensOf(summary), ledgerShare: 0.5 }));
      for (const [place, size] of ledgersBeside.entries()) {
        both[place]?.add(needs, `${summary}\n${digestText(covered, { budget: size, ledgerShare: 1 })}`);
      }
    }
  }
  return [model, digest, ...both].map((tally) => tally.survival());
}

/** The entries that a session makes of the turns. */
async function entriesOf({ turns }: Trajectory): Promise<readonly MessageEntry[]> {
  await using host = await createHost({ store: memoryStore(), budget: { inputTokens: null }, random: () => 0.5 });
  const session = await host.open('survival');
  const entries: MessageEntry[] = [];
  for (const turn of turns) entries.push(await session.ingest(messageOf(turn)));
  return entries;
}

function digestText(
  covered: readonly MessageEntry[],
  { budget, ledgerShare }: { readonly budget: number; readonly ledgerShare: number },
): string {
  const ledgerTokens = Math.floor(budget * ledgerShare);
  const shares = { ledgerTokens, userLogTokens: budget - ledgerTokens };
  const digest = buildDigest({ previous: null, covered, shares });
  return renderDigest({ digest, prose: null, counter: tableCounter });
}

function createSurvival(
  method: string,
  budget: Survival['budget'],
): { add(needs: readonly string[], text: string): void; survival(): Survival } {
  let [cuts, needed, found, tokens] = [0, 0, 0, 0];
  return {
    add: (needs, text) => {
      cuts += 1;
      needed += needs.length;
      found += survivors(needs, text);
      tokens += tokensOf(text);
    },
    survival: () => ({
      method,
      budget,
      cuts,
      needs: needed,
      share: needed === 0 ? 0 : found / needed,
      tokens: cuts === 0 ? 0 : tokens / cuts,
    }),
  };
}
