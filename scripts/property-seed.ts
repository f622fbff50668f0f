import fc from 'fast-check';

/**
 * Properties draw the same examples in every run, so that a red test is the change's own; VARVE_SEED draws others
 * (`VARVE_SEED=$RANDOM pnpm vitest run`). A failing property prints its seed.
 */
const { VARVE_SEED: seed = '20260302' } = process.env;
fc.configureGlobal({ seed: Number(seed) });
