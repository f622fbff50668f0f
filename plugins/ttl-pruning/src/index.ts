export { type TtlPruningOptions, ttlPruning } from './ttl-pruning.ts';
