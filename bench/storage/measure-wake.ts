// How much memory waking a long session takes, in a process of its own: node --expose-gc --import tsx measure-wake.ts ROOT-OF-A-SHORT-ONE ROOT
import { wake } from './wake.ts';

const [, , short = '', long = ''] = process.argv;
// Code that is compiled and buffers that are kept are there for every session.
for (let round = 0; round < 30; round += 1) await wake(short, { withPrompt: true });
globalThis.gc?.();
const before = process.memoryUsage.rss();
await wake(long, { withPrompt: true });
process.send?.({ bytes: process.memoryUsage.rss() - before });
