import { aiSdkStrategies } from './ai-sdk.ts';
import { langchainStrategies } from './langchain.ts';
import { openclawRules } from './openclaw-pruning.ts';
import { piStrategies } from './pi-compaction.ts';
import { fullHistory, headAndTail, observationMasking, slidingWindow } from './plain-windows.ts';
import type { MissingStrategy, Strategy } from './strategy.ts';

const keptByMasks = [10, 3];

const packages: readonly (readonly [name: string, load: () => Promise<readonly Strategy[]>])[] = [
  ['LangChain trimMessages', langchainStrategies],
  ['AI SDK pruneMessages', aiSdkStrategies],
  ['pi', piStrategies],
];

/** What the product is held against. A package that cannot be loaded is named. */
export async function peerStrategies(): Promise<{
  readonly strategies: readonly Strategy[];
  readonly missing: readonly MissingStrategy[];
}> {
  const strategies: Strategy[] = [fullHistory, slidingWindow, headAndTail];
  const missing: MissingStrategy[] = [];
  for (const [name, load] of packages) {
    try {
      strategies.push(...(await load()));
    } catch (error) {
      missing.push({ name, why: `it cannot be loaded: ${error instanceof Error ? error.message : String(error)}` });
    }
  }
  strategies.push(openclawRules, ...keptByMasks.map(observationMasking));
  return { strategies, missing };
}
