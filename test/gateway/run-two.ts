import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../packages/stores/test/postgres/start-server.ts';
import type { Part } from './check.ts';
import { type ClientParts, entriesOf, type Follower, follow, sayOnce } from './gateway-client.ts';
import { startProcess } from './gateway-process.ts';

/** How much is asked for. */
export interface TwoOptions {
  readonly server: PostgresServer;
  readonly sessions: number;
  /** Messages of each conversation. */
  readonly messages: number;
}

const token = 'two-token';
const keyOf = (index: number): string => `agent:main:direct:peer${index}`;

/** The lease of a dead gateway lasts a minute of the gateways' time: six seconds of ours. */
const speed = 10;

interface Run extends TwoOptions {
  /** Gateways that serve now. */
  readonly urls: string[];
  readonly acknowledged: Set<string>;
  readonly answered: Set<string>;
  retries: number;
  said: number;
}

/**
 * Two gateways on one database, and clients of both; one of them is killed under load, and started again. Clients go to the
 * other one, send again what has no answer, and follow on with the id of their last event.
 */
export async function runTwo(options: TwoOptions): Promise<Part> {
  const { server, sessions, messages } = options;
  const { host, port, access } = server;
  const { user, password, database: name } = access;
  const database = { connection: { host, port, user, password, database: name }, schema: `gateways_${Date.now()}` };
  const model = await startProcess({ kind: 'model', pieces: 8, pieceMs: 15 });
  const job = { kind: 'gateway', modelUrl: model.url, database, token, clock: { from: Date.now(), speed } } as const;
  const [first, second] = [await startProcess(job), await startProcess(job)];
  const run: Run = {
    ...options,
    urls: [first.url, second.url],
    acknowledged: new Set(),
    answered: new Set(),
    retries: 0,
    said: 0,
  };
  try {
    await Promise.all(Array.from({ length: sessions }, (_, index) => talk(run, index, 1)));
    const followers = Array.from({ length: sessions }, (_, index) => follow(clientOf(run, index), keyOf(index)));
    const talking = Promise.all(Array.from({ length: sessions }, (_, index) => talk(run, index, messages)));
    while (run.said < (sessions * messages) / 2) await sleep(10);
    run.urls.splice(0, 1);
    await first.end('SIGKILL');
    const third = await startProcess(job);
    run.urls.unshift(third.url);
    await talking;
    const client = clientOf(run, 1);
    const order: string[] = [];
    const times: string[] = [];
    const lost: string[] = [];
    for (const [index, follower] of followers.entries()) {
      const entries = await entriesOf(client, keyOf(index));
      order.push(...(await orderFaults(follower, { key: keyOf(index), stored: entries.map(({ id }) => id) })));
      const texts = entries.flatMap(({ message }) => (message?.role === 'user' ? [textOf(message.content)] : []));
      for (let number = 0; number <= messages; number += 1) {
        const named = `msg-${index}-${number}`;
        const count = texts.filter((text) => text === named).length;
        if (number > 0 && count !== 1) times.push(`${named} is there ${count} times`);
        if (count === 0 && run.acknowledged.has(named)) lost.push(named);
      }
    }
    const returns = followers.reduce((sum, follower) => sum + follower.returns(), 0);
    const codes = await Promise.all([second.end('SIGTERM'), third.end('SIGTERM')]);
    return {
      lines: [
        `two gateways on PostgreSQL, one killed: ${sessions} sessions, ${run.answered.size} messages answered, ${run.retries} sent again, ${returns} streams resumed`,
      ],
      checks: [
        { name: 'one killed: no acknowledged message is lost', faults: lost },
        { name: 'one killed: every message is stored once', faults: times },
        { name: 'one killed: every stream is resumed without a gap or a repeat', faults: order },
        {
          name: 'one killed: the others end by themselves',
          faults: codes.every((code) => code === 0) ? [] : [String(codes)],
        },
      ],
    };
  } finally {
    await Promise.all([first.end('SIGKILL'), second.end('SIGKILL'), model.end('SIGKILL')]);
  }
}

/** Half of the clients ask the first gateway, half the second; whoever finds nobody there asks the other one. */
function clientOf({ urls }: Run, index: number): ClientParts & { turnOver(): void } {
  let offset = index;
  return {
    token,
    urls: () => [urls[offset % urls.length] ?? ''],
    turnOver: () => {
      offset += 1;
    },
  };
}

async function talk(run: Run, index: number, messages: number): Promise<void> {
  const client = clientOf(run, index);
  for (let number = messages === 1 ? 0 : 1; number <= (messages === 1 ? 0 : messages); number += 1) {
    const named = `msg-${index}-${number}`;
    for (;;) {
      try {
        const onStored = (): void => void run.acknowledged.add(named);
        const { status } = await sayOnce(client, { key: keyOf(index), text: named, messageId: named, onStored });
        if (status === 'answered' || status === 'duplicate') break;
      } catch {
        // Nobody there, or gone in the middle of it.
      }
      run.retries += 1;
      client.turnOver();
      await sleep(50);
    }
    run.answered.add(named);
    run.said += 1;
  }
}

async function orderFaults(
  follower: Follower,
  { key, stored }: { readonly key: string; readonly stored: readonly string[] },
): Promise<readonly string[]> {
  const until = Date.now() + 15_000;
  while (follower.entryIds.length < stored.length && Date.now() < until) await sleep(20);
  await follower.stop();
  const { entryIds } = follower;
  if (JSON.stringify(entryIds) === JSON.stringify(stored)) return [];
  const repeats = entryIds.length - new Set(entryIds).size;
  const missing = stored.filter((id) => !entryIds.includes(id)).length;
  return [`${key}: ${missing} missing, ${repeats} repeated, of ${stored.length}`];
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
