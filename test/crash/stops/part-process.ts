// Runs a share of a part in a process of its own, and prints what it came to as one line of JSON.
import { parseArgs } from 'node:util';
import { runPart, type StopPart } from './run-part.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: 'power' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    share: { type: 'string', default: '0' },
    of: { type: 'string', default: '1' },
  },
});
const [seed = 1, count = 1, share = 0, of = 1] = [values.seed, values.count, values.share, values.of].map(Number);
console.log(JSON.stringify(await runPart(values.part as StopPart, { seed, count, share, of })));
