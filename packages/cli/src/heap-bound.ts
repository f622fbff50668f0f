import { setFlagsFromString } from 'node:v8';

/** A transcript of this size is replayed for so long that memory counts for more than the last bit of speed. */
const largeBytes = 32 * 1024 * 1024;

/**
 * Keeps the heap of this process small once it is told of a large file. A replay keeps little and drops much, and on a
 * machine with free memory V8 lets the heap grow to several times what is kept. Both flags are read at each collection.
 */
export function createHeapBound(): (fileBytes: number) => void {
  let isBound = false;
  return (fileBytes) => {
    if (isBound || fileBytes < largeBytes) return;
    isBound = true;
    setFlagsFromString('--heap-growing-percent=20');
    setFlagsFromString('--semi-space-growth-factor=1');
  };
}
