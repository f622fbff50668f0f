export type { FlushRecord } from './flush-record.ts';
export { memoryFlush } from './memory-flush.ts';
export type { ChooseModel, MemoryFlushOptions } from './options.ts';
