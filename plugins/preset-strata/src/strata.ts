import type { Plugin } from '@varve/core';
import { type MemoryFlushOptions, memoryFlush } from '@varve/plugin-memory-flush';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import { type SummaryCompactionOptions, summaryCompaction } from '@varve/plugin-summary-compaction';
import { type PriceProfile, type TtlPruningOptions, ttlPruning } from '@varve/plugin-ttl-pruning';
import { type WorkspaceLayersOptions, workspaceLayers } from '@varve/plugin-workspace-layers';

/** What each plugin of the set is told beyond what the set itself decides. */
export interface StrataOptions {
  /**
   * What the provider's prompt cache costs: decides when pruning pays, and, with `none`, that recall is made anew for
   * each prompt, since there is no cache to spare. @default 'anthropic-5m'
   */
  readonly prices?: PriceProfile | undefined;
  readonly pruning?: Omit<TtlPruningOptions, 'mode' | 'prices'> | undefined;
  readonly compaction?: SummaryCompactionOptions | undefined;
  readonly recall?: RecallOptions | undefined;
  /** The workspace folder, with what the two plugins of memory are told besides; `null`: no memory. @default null */
  readonly memory?: StrataMemory | null | undefined;
}

/** Where long-term memory lies, and how it is read and written. */
export interface StrataMemory {
  /** A folder with AGENTS.md and its like, MEMORY.md, and `memory/`. Need not be there yet. */
  readonly dir: string;
  readonly layers?: Omit<WorkspaceLayersOptions, 'dir'> | undefined;
  readonly flush?: Omit<MemoryFlushOptions, 'dir'> | undefined;
}

/**
 * The recommended set of plugins, for the `plugins` of a host: `plugins: [...strata()]`. Old tool results are pruned when
 * that pays, what does not fit is compacted into a digest, and what the current question needs of it is recalled; with a
 * workspace, what is worth keeping outlives the session. Options of a plugin are checked when the host starts.
 */
export function strata(options: StrataOptions = {}): readonly Plugin[] {
  const { prices = 'anthropic-5m', pruning, compaction, recall: recalling, memory = null } = options;
  return [
    ...(memory === null ? [] : memoryPlugins(memory)),
    ttlPruning({ ...pruning, mode: 'auto', prices }),
    summaryCompaction(compaction),
    recall({ mode: prices === 'none' ? 'quality' : 'cache-friendly', ...recalling }),
  ];
}

function memoryPlugins({ dir, layers, flush }: StrataMemory): readonly Plugin[] {
  return [workspaceLayers({ ...layers, dir }), memoryFlush({ ...flush, dir })];
}
