import { type Entry, type ErrorCode, VarveError } from '@varve/core';
import type { PendingMessage, Proof } from '../said.ts';
import { type CrashStage, tell } from './crash-stage.ts';

/** Does something to the session, and tells when it has resolved. Never rejects. */
export type Operation = (stage: CrashStage) => Promise<void>;

/** What an operation came to. */
type Proved = readonly Proof[];

let count = 0;

/** A name that no other worker gives. */
function nextName({ job }: CrashStage): string {
  count += 1;
  return `${job.round}-${count}`;
}

/** What a worker does, by chance, until it is killed. */
export const operations = {
  ingest: (stage) => give(stage, { op: 'ingest', key: nextName(stage), text: textOf(stage) }),
  turn: (stage) => give(stage, { op: 'turn', key: nextName(stage), text: textOf(stage) }),
  assemble: (stage) =>
    run(stage, { op: 'assemble' }, async ({ session, model }) => {
      const { tokens } = await session.assemble({ model: model.ref });
      if (!(tokens > 0)) throw new Error(`a prompt of ${tokens} tokens`);
      return [];
    }),
  compact: (stage) =>
    run(stage, { op: 'compact' }, async ({ session, model }) => {
      const { entry } = await session.compact('manual', { model: model.ref });
      return entry === null ? [] : [{ kind: 'entry', id: entry.id }];
    }),
  state: (stage) =>
    run(stage, { op: 'state' }, async ({ session, random }) => {
      const slot = random.pick(['children', 'todo', 'plan']);
      const text = random.chance(0.2) ? null : `Open: ${nextName(stage)}.`;
      await session.setState(slot, text);
      return text === null ? [] : [{ kind: 'state', slot, text }];
    }),
  setting: (stage) =>
    run(stage, { op: 'setting' }, async ({ session }) => {
      const value = `value ${nextName(stage)}`;
      await session.set('thinking', value);
      return [{ kind: 'setting', name: 'thinking', value }];
    }),
  undo: (stage) =>
    run(stage, { op: 'undo', mayThrow: ['VARVE_UNDO_ORDER', 'VARVE_SESSION_BUSY'] }, async ({ session, random }) => {
      const entries = await newestEntries(stage);
      const can = entries.filter(({ type }) => type === 'compaction' || type === 'edit' || type === 'state');
      const [first, ...rest] = can;
      if (first === undefined) return [];
      const { id } = random.chance(0.6) ? (can.at(-1) ?? first) : random.pick([first, ...rest]);
      await session.undo(id);
      return [{ kind: 'revoke', targetId: id }];
    }),
  rewind: (stage) =>
    run(stage, { op: 'rewind' }, async ({ session, random }) => {
      const [first, ...rest] = (await newestEntries(stage)).filter(({ type }) => type === 'message').slice(-12);
      if (first === undefined) return [];
      const head = await session.moveHead(random.pick([first, ...rest]).id, { reason: 'rewind' });
      return [{ kind: 'entry', id: head.id }];
    }),
  forget: (stage) => give(stage, { op: 'forget', key: nextName(stage), text: secretOf(stage) }),
} as const satisfies Readonly<Record<string, Operation>>;

/** Goes on where a worker before was killed: what has no answer gets one, and what may not be stored is given again. */
export async function resume(stage: CrashStage): Promise<void> {
  const { session, model, tools, job } = stage;
  const { value: first } = await session.read()[Symbol.asyncIterator]().next();
  if (first === undefined) await operations.ingest(stage);
  await run(stage, { op: 'resume', mayThrow: ['VARVE_MODEL_FAILED'] }, async () => {
    const { status } = await session.turn({ model, tools });
    if (status !== 'answered') throw new Error(`the turn after a crash ended as "${status}"`);
    return [];
  });
  await operations.assemble(stage);
  for (const message of job.pending) await give(stage, message);
}

/** Gives a message under a key of the host's, with a turn or without. */
function give(stage: CrashStage, pending: PendingMessage): Promise<void> {
  const { op, key, text } = pending;
  const message = { role: 'user', content: text } as const;
  tell({ say: 'begin', ...pending });
  if (op === 'forget')
    return run(stage, { op, mayThrow: ['VARVE_FORGET_REFUSED'] }, () => forgetSecret(stage, pending));
  return run(stage, { op, key, mayThrow: ['VARVE_MODEL_FAILED'] }, async ({ session, model, tools }) => {
    if (op === 'ingest') return [{ kind: 'entry', id: (await session.ingest(message, { key })).id }];
    const { input, status, text: answer } = await session.turn({ message, key, model, tools });
    if (status !== 'answered') throw new Error(`a turn ended as "${status}"`);
    const proofs: Proof[] = answer === '' ? [] : [{ kind: 'answer', text: answer }];
    return input === null ? proofs : [...proofs, { kind: 'entry', id: input.id }];
  });
}

function secretOf({ random }: CrashStage): string {
  return Array.from({ length: 60 }, () => random.integer(0, 35).toString(36)).join('');
}

/** Lets a secret into messages, state and a digest, and has it forgotten. */
async function forgetSecret(
  { session, random, model }: CrashStage,
  { key, text: secret }: PendingMessage,
): Promise<Proved> {
  const said = await session.ingest({ role: 'user', content: secret }, { key });
  // Under a key, too: a second one would go on quoting, as nobody asks to forget the first.
  const quote = { role: 'assistant', content: secret.slice(10, 50) } as const;
  const quoted = await session.ingest(quote, { key: `${key}-quoted` });
  if (random.chance(0.5)) await session.setState('todo', secret.slice(5, 30));
  if (random.chance(0.5)) await session.set('note', secret.slice(20));
  await session.assemble({ model: model.ref });
  if (random.chance(0.5)) await session.compact('manual', { model: model.ref });
  const ids = [said.id, quoted.id];
  tell({ say: 'forgetting', key, ids, texts: [secret] });
  await session.forget(ids, 'was a secret');
  tell({ say: 'forgot' });
  return [];
}

interface RunOptions {
  readonly op: string;
  readonly key?: string;
  /** Codes of errors that may be. Whatever else is thrown is a problem. */
  readonly mayThrow?: readonly ErrorCode[];
}

/** Runs an operation, and tells how it ended. */
async function run(
  stage: CrashStage,
  { op, key = undefined, mayThrow = [] }: RunOptions,
  work: (stage: CrashStage) => Promise<Proved>,
): Promise<void> {
  try {
    const proofs = await work(stage);
    tell({ say: 'done', op, key: key ?? null, proofs });
  } catch (error) {
    if (VarveError.is(error) && mayThrow.includes(error.code)) return;
    tell({ say: 'problem', text: `${op} failed: ${error instanceof Error ? error.stack : error}` });
  }
}

async function newestEntries({ session }: CrashStage): Promise<readonly Entry[]> {
  const { countedSeq } = session.info().counters;
  const entries: Entry[] = [];
  for await (const entry of session.read({ fromSeq: Math.max(1, countedSeq - 60) })) entries.push(entry);
  return entries;
}

function textOf({ random, job }: CrashStage): string {
  return `Question ${job.round}-${count}: ${'what lies below? '.repeat(random.integer(1, 20))}`;
}
