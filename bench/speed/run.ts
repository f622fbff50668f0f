import type { BenchResult } from '../bench-result.ts';
import { runMeasured } from '../measured/run-measured.ts';
import { speedBench } from './speed-bench.ts';
import { assembleWorkload } from './workloads/assemble.ts';
import { assembleWithPluginsWorkload } from './workloads/assemble-with-plugins.ts';
import { emitEventsWorkload } from './workloads/emit-events.ts';
import { estimateTokensWorkload } from './workloads/estimate-tokens.ts';
import { hookChainWorkload } from './workloads/hook-chain.ts';
import { wholeTurnWorkload } from './workloads/whole-turn.ts';

const packages = [
  '@varve/core',
  '@mariozechner/pi-coding-agent',
  '@langchain/core',
  'langchain',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-sqlite',
  'better-sqlite3',
  'ai',
  'tokenx',
  'gpt-tokenizer',
  'tapable',
  'hookable',
  'eventemitter3',
] as const;

/**
 * How fast prompts are made, beside peers and the limits of the machine, in one process.
 *
 * @param options  `--only B7,B9`, `--quick`, `--check`.
 * @throws BenchUsage  for other options.
 */
export function runSpeed(options: readonly string[]): Promise<BenchResult> {
  return runMeasured(
    {
      name: 'speed',
      packages,
      benchOf: speedBench,
      // Those that fill the memory come last.
      workloads: [
        estimateTokensWorkload,
        hookChainWorkload,
        emitEventsWorkload,
        assembleWithPluginsWorkload,
        assembleWorkload,
        wholeTurnWorkload,
      ],
    },
    options,
  );
}
