import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type FlipResult, flipBytes, noFlips } from './flip-bytes.ts';
import type { Fault } from './oracle/fault.ts';
import { type Evidence, type Judgement, judge, type Known, nothingKnown } from './oracle/judge.ts';
import { planRound, type RoundPlan } from './plan-round.ts';
import { type Job, type PendingMessage, type Said, sessionId } from './said.ts';
import { type WorkerEnd, WorkerProcess } from './worker-process.ts';

/** One worker, from its start to its end. */
export interface RoundResult {
  readonly round: number;
  /** Where it was killed, or `closed` when it was not. */
  readonly place: string;
  readonly faults: readonly Fault[];
  readonly acknowledged: number;
  readonly beyond: number;
  readonly tornBytes: number;
  /** Kinds of repairs that its opening made. */
  readonly repairs: readonly string[];
  /** How often it found the store locked by a process that was gone. */
  readonly lockWaits: number;
  /** What a judge has seen of it, for showing that the judge sees faults. */
  readonly seen: { readonly known: Known; readonly evidence: Evidence };
}

/** A store, and all the workers that worked on it one after the other. */
export interface LifeResult {
  readonly seed: number;
  readonly rounds: readonly RoundResult[];
  readonly flips: FlipResult;
  /** How many entries of which type there were at the end, and calls that tools ran. */
  readonly entries: ReadonlyMap<string, number>;
  readonly toolRuns: number;
  /** Where the files are kept; `null` when nothing was wrong. */
  readonly kept: string | null;
}

/** How a life is run. */
export interface LifeOptions {
  readonly seed: number;
  readonly rounds: number;
  /** Bytes that are changed at the end, each in a copy of the journal. */
  readonly flips: number;
  /** The worker, built. */
  readonly worker: string;
}

/** Seeds of the rounds of two lives are not the same. */
const seedStep = 1_000;

/** Runs workers on one store, each killed at another moment, and judges after each. */
export async function runLife({ seed, rounds, flips, worker: file }: LifeOptions): Promise<LifeResult> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-crash-'));
  const life = new Life(folder);
  const results: RoundResult[] = [];
  let spare = new WorkerProcess(file);
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const worker = spare;
      if (round < rounds) spare = new WorkerProcess(file);
      results.push(await life.runRound(worker, { round, seed: seed * seedStep + round }));
    }
  } finally {
    await spare.end();
  }
  const flipped = flips === 0 ? noFlips : await flipBytes(life.files, { folder, count: flips, seed });
  const isBad = results.some(({ faults }) => faults.length > 0) || flipped.faults.length > 0;
  const { entries, toolRuns } = life.census();
  if (!isBad) rmSync(folder, { recursive: true, force: true });
  return { seed, rounds: results, flips: flipped, entries, toolRuns, kept: isBad ? folder : null };
}

/** What a round has come to so far. */
interface RoundNotes {
  said: Said[];
  faults: Fault[];
  known: Known;
  isOpened: boolean;
}

class Life {
  readonly files: { readonly root: string; readonly journal: string };
  readonly #folder: string;
  readonly #effects: string;
  #known: Known = nothingKnown;
  #torn: Buffer = Buffer.alloc(0);
  #pending: readonly PendingMessage[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    const root = join(folder, 'store');
    this.files = { root, journal: join(root, 'agents', 'main', 'sessions', `${sessionId}.jsonl`) };
    this.#effects = join(folder, 'effects');
    mkdirSync(join(folder, 'aside'));
    writeFileSync(this.#effects, '');
  }

  async runRound(
    worker: WorkerProcess,
    { round, seed }: { readonly round: number; readonly seed: number },
  ): Promise<RoundResult> {
    const plan = planRound(seed, { isTorn: this.#torn.length > 0 });
    const notes: RoundNotes = { said: [], faults: [], known: this.#known, isOpened: false };
    const end = await worker.begin(this.#jobOf(plan, round), (said) => this.#hear(said, { worker, plan, notes }));
    const evidence = this.#look(notes.said, false);
    const seen = { known: notes.known, evidence };
    const judgement = judge(seen.known, evidence);
    this.#goOn(judgement, notes.said);
    const opened = notes.said.find((said) => said.say === 'opened');
    const { acknowledged, beyond, torn } = judgement;
    return {
      ...{ round, acknowledged, beyond, tornBytes: torn.length, seen },
      place: placeOf(end, { plan, isClosed: notes.said.some(({ say }) => say === 'closed') }),
      faults: [...notes.faults, ...endFaults(end, notes.said), ...judgement.faults],
      repairs: opened?.repairs ?? [],
      lockWaits: opened?.waits ?? 0,
    };
  }

  #jobOf({ kill, seed, operations, forgetsSoon }: RoundPlan, round: number): Job {
    return {
      ...{ round, seed, operations, forgetsSoon },
      root: this.files.root,
      aside: join(this.#folder, 'aside'),
      effects: this.#effects,
      selfKill: kill.by === 'itself' ? kill.selfKill : null,
      pending: this.#pending,
    };
  }

  #hear(
    said: Said,
    { worker, plan, notes }: { readonly worker: WorkerProcess; readonly plan: RoundPlan; readonly notes: RoundNotes },
  ): void {
    notes.said.push(said);
    if (said.say === 'opened') {
      this.#judgeOpened(notes);
      worker.go();
    }
    const { kill } = plan;
    if (kill.by === 'parent' && notes.said.length === kill.afterLines) setTimeout(() => worker.kill(), kill.delayMs);
  }

  /** Judges the store while the worker waits: all that was whole is there, and all that was torn is cut. */
  #judgeOpened(notes: RoundNotes): void {
    const judgement = judge(notes.known, this.#look(notes.said, true));
    notes.faults.push(...judgement.faults, ...this.#quarantineFaults());
    notes.known = judgement.known;
    notes.said = notes.said.filter(({ say }) => say === 'opened');
  }

  /** What was torn is in quarantine, unless a loss of power took it from there. */
  #quarantineFaults(): readonly Fault[] {
    const file = `${this.files.journal}.quarantine`;
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    if (bytes.includes(this.#torn)) return [];
    return [{ rule: 'torn-destroyed', text: `${this.#torn.length} bytes were cut and are not in quarantine` }];
  }

  #look(said: readonly Said[], isOpened: boolean): Evidence {
    const { root, journal } = this.files;
    const names = existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }) : [];
    const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const others = paths.filter((path) => path !== journal).map((name) => ({ name, bytes: contentOf(name) }));
    const archive = others.find(({ name }) => name.endsWith('.jsonl.gz'))?.bytes ?? null;
    return {
      journal: existsSync(journal) ? readFileSync(journal) : archive,
      others,
      effects: readFileSync(this.#effects, 'utf8'),
      said: [...said],
      isOpened,
    };
  }

  #goOn({ known, torn }: Judgement, said: readonly Said[]): void {
    this.#known = known;
    this.#torn = torn;
    const done = new Set(said.map((one) => (one.say === 'done' || one.say === 'forgetting' ? one.key : null)));
    const begun = said.flatMap((one) => (one.say === 'begin' ? [{ op: one.op, key: one.key, text: one.text }] : []));
    const all = new Map([...this.#pending, ...begun].map((message) => [message.key, message]));
    this.#pending = [...all.values()].filter(({ key }) => !done.has(key));
  }

  census(): { readonly entries: ReadonlyMap<string, number>; readonly toolRuns: number } {
    const entries = new Map<string, number>();
    for (const { value } of this.#known.entries.values()) {
      const type = value.forgotten === undefined ? value.type : 'forgotten';
      entries.set(type, (entries.get(type) ?? 0) + 1);
    }
    return { entries, toolRuns: readFileSync(this.#effects, 'utf8').split('\n').length - 1 };
  }
}

/** What a file says; of an archive that is whole, what the journal in it does. */
function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.jsonl.gz') ? gunzipSync(bytes) : bytes;
}

function placeOf(
  { signal }: WorkerEnd,
  { plan: { kill }, isClosed }: { readonly plan: RoundPlan; readonly isClosed: boolean },
): string {
  if (isClosed) return 'closed';
  if (signal !== 'SIGKILL') return 'failed';
  if (kill.by === 'parent') return 'by its parent';
  const { place, losesPower } = kill.selfKill;
  return losesPower ? `${place}, no power` : place;
}

function endFaults({ code, signal, errors, wasLate }: WorkerEnd, said: readonly Said[]): readonly Fault[] {
  const isClosed = said.some(({ say }) => say === 'closed');
  if (!wasLate && (signal === 'SIGKILL' || (code === 0 && isClosed))) return [];
  const how = wasLate ? 'hung' : `ended with ${signal ?? code}`;
  return [{ rule: 'worker', text: `the worker ${how}: ${errors}` }];
}
