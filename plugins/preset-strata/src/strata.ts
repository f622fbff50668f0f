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
  readonly pruning?: Omit<TtlPruningOptions, 'mode' | 'prices' | OptionsOfTheOtherMode> | undefined;
  readonly compaction?: SummaryCompactionOptions | undefined;
  readonly recall?: RecallOptions | undefined;
  /** The workspace folder, with what the two plugins of memory are told besides; `null`: no memory. @default null */
  readonly memory?: StrataMemory | null | undefined;
}

/** `auto` decides by prices instead. */
type OptionsOfTheOtherMode = 'ttl' | 'softTrimRatio' | 'hardClearRatio';

/** Where long-term memory lies, whose it is, and how it is read and written. */
export interface StrataMemory {
  /** A folder with AGENTS.md and its like, MEMORY.md, and `memory/`. Need not be there yet. */
  readonly dir: string;
  /** Zone in which a day of notes begins and ends; `null`: the machine's own. @default null */
  readonly timeZone?: string | null | undefined;
  /** Identities of the owner; `null`: whoever has a direct chat is the owner. @default null */
  readonly owners?: readonly string[] | null | undefined;
  readonly layers?: Omit<WorkspaceLayersOptions, SharedMemoryOptions> | undefined;
  readonly flush?: Omit<MemoryFlushOptions, SharedMemoryOptions> | undefined;
}

/** What both plugins of memory must be told alike: where they differed, one would show what the other keeps private. */
type SharedMemoryOptions = 'dir' | 'timeZone' | 'owners';

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

function memoryPlugins({ layers, flush, ...shared }: StrataMemory): readonly Plugin[] {
  return [workspaceLayers({ ...layers, ...shared }), memoryFlush({ ...flush, ...shared })];
}
