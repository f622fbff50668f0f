import { estimateTokens } from '@varve/core';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateTokenCount } from 'tokenx';
import { seededRandom } from '../seeded-random.ts';
import type { TextKind } from './text-kinds.ts';

/** Relative errors of one estimator on the samples of one kind, in percent of the exact count. */
export interface ErrorFigures {
  /** Mean of the absolute errors. */
  readonly mean: number;
  /** Mean with its sign: what remains in a long context. */
  readonly bias: number;
  readonly lowest: number;
  readonly highest: number;
}

/** One row of the error table. */
export interface ErrorRow {
  readonly kind: string;
  readonly characters: number;
  readonly samples: number;
  readonly varve: ErrorFigures;
  readonly tokenx: ErrorFigures;
  readonly quarter: ErrorFigures;
}

interface Sample {
  readonly kind: string;
  readonly exact: number;
  readonly varve: number;
  readonly tokenx: number;
  readonly quarter: number;
}

/** Size of the contexts that are put together, in exact tokens. */
const contextTokens = 100_000;
const contexts = 20;

/** The tokens of a text by the exact counter. */
export function exactTokens(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}

/** Cuts each kind into samples of 400 to 8,000 characters and measures them. */
export function measureSamples(kinds: readonly TextKind[], seed: number): readonly Sample[] {
  const random = seededRandom(seed);
  return kinds.flatMap(({ kind, text }) => {
    const samples: Sample[] = [];
    for (let from = 0; from < text.length; ) {
      const length = Math.floor(400 + random() ** 2 * 7_600);
      const sample = text.slice(from, from + length);
      from += length;
      if (sample.length < 200) continue;
      const exact = exactTokens(sample);
      const quarter = Math.ceil(sample.length / 4);
      samples.push({ kind, exact, varve: estimateTokens(sample), tokenx: estimateTokenCount(sample), quarter });
    }
    return samples;
  });
}

/** One row a kind, and the mean over the kinds. */
export function errorRows(kinds: readonly TextKind[], samples: readonly Sample[]): readonly ErrorRow[] {
  return kinds.map(({ kind, text }) => {
    const own = samples.filter((sample) => sample.kind === kind);
    const figures = (name: 'varve' | 'tokenx' | 'quarter'): ErrorFigures =>
      figuresOf(own.map((sample) => errorOf(sample, name)));
    return {
      kind,
      characters: text.length,
      samples: own.length,
      varve: figures('varve'),
      tokenx: figures('tokenx'),
      quarter: figures('quarter'),
    };
  });
}

/** Errors of contexts of 100,000 tokens, put together from samples of all kinds. */
export function contextErrors(samples: readonly Sample[], seed: number): ErrorFigures {
  const random = seededRandom(seed);
  const errors = Array.from({ length: contexts }, () => {
    // A context is mostly of a few kinds, as an agent's is.
    const kinds = [...new Set(samples.map(({ kind }) => kind))].sort(() => random() - 0.5).slice(0, 5);
    const pool = samples.filter(({ kind }) => kinds.includes(kind));
    let [exact, varve] = [0, 0];
    while (exact < contextTokens) {
      const sample = pool[Math.floor(random() * pool.length)] as Sample;
      exact += sample.exact;
      varve += sample.varve;
    }
    return ((varve - exact) / exact) * 100;
  });
  return figuresOf(errors);
}

function errorOf(sample: Sample, name: 'varve' | 'tokenx' | 'quarter'): number {
  return ((sample[name] - sample.exact) / sample.exact) * 100;
}

function figuresOf(errors: readonly number[]): ErrorFigures {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    mean: sum(errors.map(Math.abs)) / errors.length,
    bias: sum(errors) / errors.length,
    lowest: Math.min(...errors),
    highest: Math.max(...errors),
  };
}
