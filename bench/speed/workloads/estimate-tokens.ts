import { estimateTokens } from '@varve/core';
import { estimateTokenCount } from 'tokenx';
import { exactTokens } from '../../estimator/error-table.ts';
import { textKinds } from '../../estimator/text-kinds.ts';
import { type Contender, interleave } from '../../interleave.ts';
import { againstLimit, againstPeer, type Measurement } from '../../measured/compared.ts';
import type { ComparisonRow } from '../../measured/comparison-row.ts';
import { pick, seededRandom } from '../../seeded-random.ts';
import type { SpeedBench, SpeedWorkload } from '../speed-bench.ts';

const seed = 20_240_601;

/** Characters of the texts: a short message, and a tool's answer. */
const lengths = [300, 4_096] as const;

/** What one run reads, in characters; the fast ones read it several times. */
const charactersPerRun = 120_000;
const passes = 30;

/** B9: how many tokens a text has, for texts of all kinds. */
export const estimateTokensWorkload: SpeedWorkload = {
  id: 'B9',
  title: 'token estimate of mixed text',
  run: async (bench) => {
    const rows: ComparisonRow[] = [];
    for (const length of lengths) rows.push(...(await rowsOf(length, bench)));
    return { rows, notes: ['How far estimates are from exact counts: pnpm bench estimator.'] };
  },
};

async function rowsOf(length: number, { often }: SpeedBench): Promise<readonly ComparisonRow[]> {
  const texts = mixedTexts(length);
  const measured = await interleave(
    [
      counting('varve', { texts, count: estimateTokens, times: passes }),
      counting('bare loop over the characters', { texts, count: bareLoop, times: passes }),
      counting('tokenx', { texts, count: estimateTokenCount, times: 1 }),
      counting('gpt-tokenizer (exact)', { texts, count: exactTokens, times: 1 }),
    ],
    often,
  );
  const measurement: Measurement = { workload: 'B9', measured, own: 'varve', of: `${length} characters` };
  return [
    againstPeer(measurement, 'tokenx', { must: 8, goal: 15 }),
    againstPeer(measurement, 'gpt-tokenizer (exact)', { must: 12, goal: 25 }),
    againstLimit(measurement, 'bare loop over the characters', { must: 2, goal: 1 / 0.7 }),
  ];
}

/** Pieces of texts of every kind, in the order of a seed. */
function mixedTexts(length: number): readonly string[] {
  const random = seededRandom(seed);
  const kinds = textKinds().filter(({ text }) => text.length > length);
  return Array.from({ length: Math.ceil(charactersPerRun / length) }, () => {
    const { text } = pick(random, kinds);
    const from = Math.floor(random() * (text.length - length));
    return text.slice(from, from + length);
  });
}

function counting(
  name: string,
  work: { readonly texts: readonly string[]; readonly count: (text: string) => number; readonly times: number },
): Contender {
  const { texts, count, times } = work;
  return {
    name,
    operations: texts.length * times,
    run: () => {
      let sum = 0;
      for (let pass = 0; pass < times; pass += 1) for (const text of texts) sum += count(text);
      if (!(sum > 0)) throw new Error(`${name} counted nothing.`);
    },
  };
}

/** What reading every unit of a string costs: no estimator can be faster. */
function bareLoop(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum += text.charCodeAt(index);
  return sum;
}
