import { type Plugin, VarveError } from '@varve/core';
import { type MemoryFlushOptions, memoryFlush } from '@varve/plugin-memory-flush';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import { type SummaryCompactionOptions, summaryCompaction } from '@varve/plugin-summary-compaction';
import { type PriceProfile, type TtlPruningOptions, ttlPruning } from '@varve/plugin-ttl-pruning';
import { type WorkspaceLayersOptions, workspaceLayers } from '@varve/plugin-workspace-layers';
import { z } from 'zod';

/** What each plugin of the set is told beyond what the set itself decides. */
export interface StrataOptions {
  /**
   * What the provider's prompt cache costs: decides when pruning pays, and, with `none`, that recall is made anew for
   * each prompt, since there is no cache to spare. @default 'anthropic-5m'
   */
  readonly prices?: PriceProfile | undefined;
  /** What another mode goes by is not among its options: here prices decide. */
  readonly pruning?:
    | Omit<TtlPruningOptions, 'mode' | 'prices' | 'ttl' | 'softTrimRatio' | 'hardClearRatio'>
    | undefined;
  readonly compaction?: SummaryCompactionOptions | undefined;
  readonly recall?: RecallOptions | undefined;
  /** The workspace folder, with what the two plugins of memory are told besides; `null`: no memory. @default null */
  readonly memory?: StrataMemory | null | undefined;
}

/**
 * Where long-term memory lies, whose it is, and how it is read and written. The first three are told to both plugins of
 * memory: where these differed, one would show what the other keeps private.
 */
export interface StrataMemory {
  /** A folder with AGENTS.md and its like, MEMORY.md, and `memory/`. Need not be there yet. */
  readonly dir: string;
  /** Zone in which a day of notes begins and ends; `null`: the machine's own. @default null */
  readonly timeZone?: string | null | undefined;
  /** Identities of the owner; `null`: whoever has a direct chat is the owner. @default null */
  readonly owners?: readonly string[] | null | undefined;
  readonly layers?: Omit<WorkspaceLayersOptions, 'dir' | 'timeZone' | 'owners'> | undefined;
  readonly flush?: Omit<MemoryFlushOptions, 'dir' | 'timeZone' | 'owners'> | undefined;
}

/** What the set decides itself: said again, it would be left unheard. */
function decided(what: string): z.ZodOptional<z.ZodNever> {
  return z.never(`The set decides it; ${what}`).optional();
}

const [byPrices, byMemory] = ['say it in prices', 'say it in memory'];
const memoryPart = z.looseObject({ dir: decided(byMemory), timeZone: decided(byMemory), owners: decided(byMemory) });

/** Names alone: what is under them, each plugin checks itself. */
const schema = z.strictObject({
  prices: z.unknown().optional(),
  pruning: z
    .looseObject({
      mode: decided('it is auto'),
      prices: decided(byPrices),
      ttl: decided(byPrices),
      softTrimRatio: decided('auto has no use for it'),
      hardClearRatio: decided('auto has no use for it'),
    })
    .optional(),
  compaction: z.looseObject({}).optional(),
  recall: z.looseObject({}).optional(),
  memory: z
    .strictObject({
      dir: z.string(),
      timeZone: z.unknown().optional(),
      owners: z.unknown().optional(),
      layers: memoryPart.optional(),
      flush: memoryPart.optional(),
    })
    .nullable()
    .optional(),
});

/**
 * The recommended set of plugins, for the `plugins` of a host: `plugins: [...strata()]`. Old tool results are pruned when
 * that pays, what does not fit is compacted into a digest, and what the current question needs of it is recalled; with a
 * workspace, what is worth keeping outlives the session. Options of a plugin are checked when the host starts.
 *
 * @throws VARVE_PLUGIN_OPTIONS  for an option that the set does not know, or decides itself, with its path.
 */
export function strata(options: StrataOptions = {}): readonly Plugin[] {
  checkOptions(options);
  const { prices = 'anthropic-5m', pruning, compaction, recall: recalling, memory = null } = options;
  return [
    ...(memory === null ? [] : memoryPlugins(memory)),
    ttlPruning({ ...pruning, mode: 'auto', prices }),
    summaryCompaction(compaction),
    recall({ mode: prices === 'none' ? 'quality' : 'cache-friendly', ...recalling }),
  ];
}

function checkOptions(options: StrataOptions): void {
  const { error } = schema.safeParse(options);
  if (error === undefined) return;
  const issues = error.issues.map(({ path, message }) => `${path.map(String).join('.') || '(root)'}: ${message}`);
  throw new VarveError('VARVE_PLUGIN_OPTIONS', `Options of the set "strata": ${issues.join('; ')}.`, {
    fix: 'Correct the options of strata where it is put into the plugins array.',
    details: { plugin: 'strata', issues },
  });
}

function memoryPlugins({ layers, flush, ...shared }: StrataMemory): readonly Plugin[] {
  return [workspaceLayers({ ...layers, ...shared }), memoryFlush({ ...flush, ...shared })];
}
