import { readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

/** What this process held at most since it began to be watched, in bytes. */
export interface MemoryWatch {
  readonly baseRss: number;
  peak(): { readonly peakRss: number; readonly peakHeap: number };
}

const sampleEveryMs = 5;

/** Watches the memory of this process: the system says the most it ever was, the heap is looked at again and again. */
export function watchMemory(): MemoryWatch {
  const baseRss = process.memoryUsage.rss();
  let peakHeap = 0;
  let peakRss = 0;
  const sample = (): void => {
    peakRss = Math.max(peakRss, process.memoryUsage.rss());
    peakHeap = Math.max(peakHeap, getHeapStatistics().used_heap_size);
  };
  const timer = setInterval(sample, sampleEveryMs);
  timer.unref();
  return {
    baseRss,
    peak: () => {
      sample();
      clearInterval(timer);
      return { peakRss: Math.max(peakRss, highWaterMark()), peakHeap };
    },
  };
}

/** The most that was ever resident, as Linux says; `maxRSS` has that of the process that began this one. Else 0. */
function highWaterMark(): number {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(kilobytes) * 1_024;
  } catch {
    return 0;
  }
}
