// One engine and one number of texts, in a process of its own: node --expose-gc --import tsx measure-engine.ts varve 1000 7
import { makeDocuments } from './documents.ts';
import { type EngineName, engines } from './engines.ts';
import { processorTime } from './processor-time.ts';

/** What one process measured. */
export interface EngineFigures {
  /** Time of the processor, as all that is not of a single search: a machine that has other work to do changes it less. */
  readonly buildMs: number;
  /** Size of the texts, in millions of bytes. */
  readonly megabytes: number;
  /** Memory that the index takes, in millions of bytes: heap and array buffers, after a full collection. */
  readonly memory: number;
  /** Mean time of one more text, in microseconds. */
  readonly addMicroseconds: number;
  /** Median and 95th percentile of searches, in milliseconds. */
  readonly searchMs: { readonly median: number; readonly high: number };
  /** Questions whose text is among the first ten. */
  readonly foundShare: number;
}

/** Texts that are added when the index stands, and questions that are asked. */
const moreTexts = 500;
const questions = 100;

const [, , name = '', given = '0', seed = '1'] = process.argv;
const figures = await measure(name as EngineName, { count: Number(given), seed: Number(seed) });
process.send?.(figures);

async function measure(
  engine: EngineName,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<EngineFigures> {
  const documents = makeDocuments(count + moreTexts, seed);
  const first = documents.slice(0, count);
  const megabytes = first.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1e6;
  warmUp(engine, seed);
  const before = memoryNow();
  const index = engines[engine]();
  const buildMs = await processorTime(() => {
    for (const [id, { text }] of first.entries()) index.add(id, text);
  });
  const memory = (memoryNow() - before) / 1e6;
  const addMs = await processorTime(() => {
    for (const [at, { text }] of documents.slice(count).entries()) index.add(count + at, text);
  });
  const times: number[] = [];
  let found = 0;
  for (let asked = 0; asked < questions; asked += 1) {
    const id = Math.floor((asked / questions) * count);
    let hits: readonly number[] = [];
    times.push(timed(() => (hits = index.search(documents[id]?.question ?? ''))));
    if (hits.includes(id)) found += 1;
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  const searchMs = { median: at(0.5), high: at(0.95) };
  const addMicroseconds = (addMs * 1_000) / moreTexts;
  return { buildMs, megabytes, memory, addMicroseconds, searchMs, foundShare: found / questions };
}

/** Lets the compiler see the code: nobody's first run is measured. */
function warmUp(engine: EngineName, seed: number): void {
  const index = engines[engine]();
  for (const [id, { text, question }] of makeDocuments(4_000, seed + 1).entries()) {
    index.add(id, text);
    if (id % 20 === 0) index.search(question);
  }
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** Bytes in use once all that can be let go of has been. */
function memoryNow(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
