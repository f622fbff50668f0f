// A host that shares tables with others: it does what it is told, and may be killed or cut off at any time.
import { pathToFileURL } from 'node:url';
import { type Clock, createHost, type Host, type ModelPort, type Session, VarveError } from '@varve/core';
import { postgresStore } from '@varve/stores/postgres';
import { type FromHost, type HostJob, idsIn, type Task, type ToHost, textOf } from '../said.ts';

const job = JSON.parse(process.argv[2] ?? '') as HostJob;
const { default: pg } = (await import(/* @vite-ignore */ pathToFileURL(job.driver).href)) as typeof import('pg');
const pool = new pg.Pool({ ...job.pool, max: 8 });
const store = postgresStore({ pool, schema: job.schema, timeoutMs: 3_000, retryMs: 6_000 });
const host = await createHost({ store, clock: fastClock(job.clock) });
const sessions = new Map<string, Promise<Session>>();
const answers = new Map<number, (text: string) => void>();
let calls = 0;

process.on('message', (said: ToHost) => {
  if (said.is === 'task') void work(said.task);
  else if (said.is === 'answer') answers.get(said.call)?.(said.text);
  else void end();
});
say({ is: 'ready' });

async function work(task: Task): Promise<void> {
  try {
    const session = await sessionOf(host, task.sessionId);
    const message = { role: 'user', content: textOf(task) } as const;
    if (task.deed === 'ingest') {
      const { id, seq } = await session.ingest(message, { key: task.id });
      say({ is: 'done', id: task.id, entryId: id, seq });
      return;
    }
    const { status, input } = await session.turn({ message, key: task.id, model: modelOf(task.sessionId) });
    if (status !== 'answered' || input === null) throw new Error(`The turn ended as ${status}.`);
    say({ is: 'done', id: task.id, entryId: input.id, seq: input.seq });
  } catch (error) {
    const code = VarveError.is(error) ? error.code : String(error);
    say({ is: 'failed', id: task.id, code });
  }
}

function sessionOf(by: Host, sessionId: string): Promise<Session> {
  const known = sessions.get(sessionId);
  if (known !== undefined) return known;
  const opening = by.open(sessionId);
  sessions.set(sessionId, opening);
  opening.catch(() => sessions.delete(sessionId));
  return opening;
}

/** A model that is asked elsewhere: who is asked there knows what was paid for. */
function modelOf(sessionId: string): ModelPort {
  return {
    ref: { provider: 'test', model: 'elsewhere' },
    generate: async ({ prompt: { messages } }) => {
      const answered = messages.findLastIndex(({ role }) => role === 'assistant');
      const ids = idsIn(JSON.stringify(messages.slice(answered + 1)));
      calls += 1;
      const call = calls;
      const text = await new Promise<string>((resolve) => {
        answers.set(call, resolve);
        say({ is: 'call', call, sessionId, ids });
      });
      answers.delete(call);
      return { message: { role: 'assistant', content: text, stop: 'stop' }, usage: null };
    },
  };
}

async function end(): Promise<void> {
  await host.close();
  await store[Symbol.asyncDispose]();
  await pool.end();
  say({ is: 'ended' });
  process.disconnect();
}

function say(said: FromHost): void {
  process.send?.(said);
}

function fastClock({ from, speed }: HostJob['clock']): Clock {
  return {
    now: () => from + (Date.now() - from) * speed,
    after: (delay, callback) => {
      const timer = setTimeout(callback, Math.ceil(delay / speed));
      return () => clearTimeout(timer);
    },
  };
}
