import { parseArgs } from 'node:util';
import { BenchUsage } from '../bench-result.ts';
import { type QualitySet, qualitySets } from './sets/catalogue.ts';
import { type Ablation, ablations, productModes } from './strategies/product-modes.ts';
import type { CounterName } from './strategies/product-run.ts';

/** What is measured, and how. */
export interface QualityOptions {
  readonly sets: readonly QualitySet[];
  readonly budgets: readonly number[] | null;
  readonly modes: readonly string[];
  readonly data: string | null;
  readonly every: number | null;
  readonly charts: string | null;
  readonly seed: number;
  readonly rename: number | null;
  readonly shift: number | null;
  readonly isPrefixChecked: boolean;
  /** Whether the product is measured again with other names and at another time. */
  readonly isChangeChecked: boolean;
  readonly ablate: readonly Ablation[];
  /** Whether sizes are searched for, in place of the tables. */
  readonly isSearch: boolean;
  readonly counter: CounterName;
  /** Strategies whose names hold one of these. */
  readonly only: readonly string[] | null;
}

const defaultSeed = 20_240_601;

/** How it is called. */
const qualityUsage = `Usage: pnpm bench context-quality [--set NAME[,NAME]]… [--budget 2k,8k] [--mode NAME,…] [--data DIR]
  [--every N] [--only TEXT,…] [--seed N] [--rename SEED] [--shift DAYS] [--check-prefix] [--check-changes]
  [--ablate all|PART,…] [--counter estimate|exact] [--charts DIR] [--json FILE]
       pnpm bench context-quality --search --data DIR [--json FILE]

sets     ${qualitySets.map(({ name }) => name).join(' ')}
modes    ${productModes.map(({ name }) => name).join(' ')}
ablate   all ${ablations.join(' ')}`;

/** Reads the command line. @throws BenchUsage  with what is wrong. */
export function parseQualityOptions(args: readonly string[]): QualityOptions {
  const values = readArguments(args);
  const data = values.data ?? null;
  if (values.search === true && data === null) throw new BenchUsage('A search needs conversations: give --data DIR.');
  return {
    data,
    sets: setsOf(listOf(values.set), data),
    budgets: listOf(values.budget)?.map(tokensIn) ?? null,
    modes: oneOf(listOf(values.mode), { what: 'mode', known: productModes.map(({ name }) => name) }),
    every: numberOf(values.every, 'every'),
    charts: values.charts ?? null,
    seed: numberOf(values.seed, 'seed') ?? defaultSeed,
    rename: numberOf(values.rename, 'rename'),
    shift: numberOf(values.shift, 'shift'),
    isPrefixChecked: values['check-prefix'] === true,
    isChangeChecked: values['check-changes'] === true,
    isSearch: values.search === true,
    ablate: values.ablate === undefined ? [] : partsOf(listOf(values.ablate)),
    counter:
      oneOf(listOf([values.counter ?? 'estimate']), { what: 'counter', known: ['estimate', 'exact'] })[0] ?? 'estimate',
    only: listOf(values.only),
  };
}

/** Parts by name; `all` of them. */
function partsOf(names: readonly string[] | null): readonly Ablation[] {
  return oneOf(names?.includes('all') === true ? null : names, { what: 'part', known: ablations });
}

function readArguments(args: readonly string[]) {
  if (args.includes('--help')) throw new BenchUsage(qualityUsage);
  try {
    return parseArgs({ args: [...args], options: argumentKinds }).values;
  } catch (error) {
    throw new BenchUsage(`${error instanceof Error ? error.message : String(error)}\n\n${qualityUsage}`);
  }
}

const argumentKinds = {
  set: { type: 'string', multiple: true },
  budget: { type: 'string', multiple: true },
  mode: { type: 'string', multiple: true },
  data: { type: 'string' },
  every: { type: 'string' },
  charts: { type: 'string' },
  seed: { type: 'string' },
  rename: { type: 'string' },
  shift: { type: 'string' },
  'check-prefix': { type: 'boolean' },
  'check-changes': { type: 'boolean' },
  ablate: { type: 'string', multiple: true },
  search: { type: 'boolean' },
  counter: { type: 'string' },
  only: { type: 'string', multiple: true },
} as const;

function listOf(given: readonly string[] | undefined): readonly string[] | null {
  return given?.flatMap((one) => one.split(',')).filter((one) => one !== '') ?? null;
}

function setsOf(names: readonly string[] | null, data: string | null): readonly QualitySet[] {
  if (names === null) return qualitySets.filter(({ isShipped, isUsual }) => isUsual && (isShipped || data !== null));
  return names.map((name) => {
    const set = qualitySets.find((one) => one.name === name);
    if (set === undefined) throw new BenchUsage(`There is no set "${name}".\n\n${qualityUsage}`);
    if (!set.isShipped && data === null) throw new BenchUsage(`The set "${name}" is not shipped: give --data DIR.`);
    return set;
  });
}

function oneOf<Name extends string>(
  names: readonly string[] | null,
  { what, known }: { readonly what: string; readonly known: readonly Name[] },
): readonly Name[] {
  return (
    names?.map((name) => {
      const found = known.find((one) => one === name);
      if (found === undefined) throw new BenchUsage(`There is no ${what} "${name}". Use some of: ${known.join(', ')}.`);
      return found;
    }) ?? known
  );
}

/** `2k` and `2000` are the same. */
function tokensIn(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(k?)$/.exec(text) ?? [];
  if (digits === undefined) throw new BenchUsage(`"${text}" is no number of tokens. Write 2000 or 2k.`);
  return Number(digits) * (unit === 'k' ? 1_000 : 1);
}

function numberOf(text: string | undefined, name: string): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value)) throw new BenchUsage(`--${name} takes a whole number, not "${text}".`);
  return value;
}
