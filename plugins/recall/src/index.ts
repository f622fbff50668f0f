export { recall } from './recall.ts';
export type { RecallOptions } from './recall-options.ts';
