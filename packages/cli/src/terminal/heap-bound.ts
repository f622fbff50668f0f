import { setFlagsFromString } from 'node:v8';

const megabyte = 1024 * 1024;

/**
 * From which size of the transcript on a flag is worth the time that it costs: some 5, 15 and 25 %. What is kept of a
 * file of 10 MB is some 25 MB; without the first flag V8 collects at more than 100. All are read late; the last holds.
 */
const flags: readonly (readonly [fileBytes: number, flag: string])[] = [
  [2 * megabyte, '--heap-growing-percent=100'],
  [16 * megabyte, '--heap-growing-percent=20'],
  [128 * megabyte, '--semi-space-growth-factor=1'],
];

/**
 * Keeps the heap of this process small once it is told of a large file. A replay keeps little and drops much, and on a
 * machine with free memory V8 lets the heap grow to several times what is kept.
 */
export function createHeapBound(): (fileBytes: number) => void {
  let isBound = false;
  return (fileBytes) => {
    if (isBound) return;
    isBound = true;
    for (const [least, flag] of flags) if (fileBytes >= least) setFlagsFromString(flag);
  };
}
