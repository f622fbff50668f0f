export { type StrataMemory, type StrataOptions, strata } from './strata.ts';
