// One way of waking a session, in a process of its own, which pays for its own rubbish and nobody else's:
// node --import tsx wake-process.ts HOW FILES-AS-JSON. Runs when it is told to, until it is let go of.
import { PartlyMeasured } from '../interleave.ts';
import { parseTail } from './limits/parse-tail.ts';
import { loadWholeTranscript } from './peers/article-loader.ts';
import { loadPi } from './peers/pi.ts';
import { readTail, wake } from './wake.ts';
import type { WakeFiles, WakeOrder, WayToWake } from './wake-contender.ts';

/** Runs of each way on the short history before the first that counts, so that its code is compiled. */
const warmUps = 30;

const [, , how = 'open', given = '{}'] = process.argv;
const { files, short } = JSON.parse(given) as { readonly files: WakeFiles; readonly short: WakeFiles };
const run = await runnerOf(how as WayToWake);

for (let time = 0; time < warmUps; time += 1) await run(short);

process.on('message', ({ leastMs }: WakeOrder) => {
  void measure(leastMs).then((ms) => process.send?.({ ms }));
});
process.send?.({ isReady: true });

/** Milliseconds of one run, in the mean of as many as take that long, or of one. */
async function measure(leastMs: number): Promise<number> {
  let whole = 0;
  let runs = 0;
  do {
    const startedAt = performance.now();
    const result = await run(files);
    whole += result instanceof PartlyMeasured ? result.ms : performance.now() - startedAt;
    runs += 1;
  } while (whole < leastMs);
  return whole / runs;
}

async function runnerOf(way: WayToWake): Promise<(of: WakeFiles) => unknown> {
  switch (way) {
    case 'open':
      return ({ root }) => wake(root);
    case 'prompt':
      return ({ root }) => wake(root, { withPrompt: true });
    case 'tail':
      return ({ root }) => readTail(root);
    case 'limit':
      return ({ journalFile, tailBytes }) => parseTail(journalFile, tailBytes);
    case 'loader':
      return ({ journalFile }) => loadWholeTranscript(journalFile).length;
    case 'pi': {
      const sessions = await loadPi();
      return ({ piFile, folder }) => sessions.open(piFile, folder).buildSessionContext();
    }
  }
}
