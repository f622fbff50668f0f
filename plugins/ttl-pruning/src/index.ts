export { batchTokens, type CacheRatios, type SteadyUse } from './cost-model.ts';
export type { PriceProfile } from './price-profile.ts';
export { ttlPruning } from './ttl-pruning.ts';
export type { TtlPruningOptions } from './ttl-pruning-options.ts';
