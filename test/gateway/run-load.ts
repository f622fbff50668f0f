import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from './check.ts';
import { type ClientParts, entriesOf, follow, sayOnce } from './gateway-client.ts';
import { type GatewayProcess, startProcess, type Used } from './gateway-process.ts';
import { readStream } from './read-stream.ts';

/** How much is asked for. */
export interface LoadOptions {
  readonly sessions: number;
  /** Turns begun in a second. */
  readonly rate: number;
  readonly seconds: number;
}

/** Conversations that are followed beside: their events must be whole. */
const followed = 20;

/** How often memory is looked at. */
const lookEveryMs = 5_000;

/** Bytes that may be held more behind the load than before, when all conversations sleep. */
const mostGrowth = 8 * 1_048_576;

const token = 'load-token';
const keyOf = (index: number): string => `agent:main:direct:peer${index}`;

interface Load {
  readonly gateway: GatewayProcess;
  readonly proxy: GatewayProcess;
  readonly client: ClientParts;
  readonly faults: string[];
  readonly firstMs: number[];
  readonly wholeMs: number[];
  readonly memory: Used[];
}

/**
 * Paces turns over many conversations, each streamed, and sends the same to a proxy that only hands on: what a gateway costs
 * more than that is what it does.
 */
export async function runLoad({ sessions, rate, seconds }: LoadOptions): Promise<Part> {
  const root = await mkdtemp(join(tmpdir(), 'varve-load-'));
  const model = await startProcess({ kind: 'model' });
  const gateway = await startProcess({ kind: 'gateway', modelUrl: model.url, root, token });
  const proxy = await startProcess({ kind: 'proxy', modelUrl: model.url });
  const client = { urls: () => [gateway.url], token };
  const load: Load = { gateway, proxy, client, faults: [], firstMs: [], wholeMs: [], memory: [] };
  try {
    // Each conversation has begun before anything is measured.
    for (let index = 0; index < sessions; index += 20) {
      const begun = Array.from({ length: Math.min(20, sessions - index) }, (_, offset) => index + offset);
      await Promise.all(begun.map((one) => turn(load, { index: one, number: 0 })));
    }
    load.firstMs.length = 0;
    load.wholeMs.length = 0;
    const followers = Array.from({ length: Math.min(followed, sessions) }, (_, index) => follow(client, keyOf(index)));
    const [gatewayBefore, proxyBefore] = [await gateway.rested(), await proxy.used()];
    const turns = await pace(load, { sessions, rate, seconds });
    const [gatewayAfter, proxyAfter] = [await gateway.used(), await proxy.used()];
    const gaps = await gapsOf(client, followers);
    const rested = await gateway.rested();
    const cpu = (after: Used, before: Used): number => (after.cpu - before.cpu) / 1_000 / turns;
    const [own, plain] = [cpu(gatewayAfter, gatewayBefore), cpu(proxyAfter, proxyBefore)];
    return {
      lines: [
        `${sessions} sessions, ${rate} turns/s for ${seconds} s: ${turns} turns, ${load.faults.length} failed`,
        `processor time a turn: gateway ${own.toFixed(2)} ms, proxy ${plain.toFixed(2)} ms (${(own / plain).toFixed(1)} ×)`,
        `first piece: median ${at(load.firstMs, 0.5)} ms, 99 % ${at(load.firstMs, 0.99)} ms; whole answer: median ${at(load.wholeMs, 0.5)} ms, 99 % ${at(load.wholeMs, 0.99)} ms`,
        `memory (heap/rss MB, every ${lookEveryMs / 1_000} s): ${load.memory.map(({ heap, rss }) => `${mega(heap)}/${mega(rss)}`).join(' ')}`,
        `heap with all conversations asleep: ${mega(gatewayBefore.heap)} MB before, ${mega(rested.heap)} MB behind it`,
      ],
      checks: [
        { name: 'every turn is answered, and streamed as it was answered', faults: load.faults.slice(0, 10) },
        { name: 'whoever follows a conversation has each entry once, in order', faults: gaps },
        { name: 'nothing of it is held once conversations sleep', faults: growthOf(gatewayBefore, rested) },
      ],
    };
  } finally {
    await Promise.all([gateway.end('SIGTERM'), proxy.end('SIGKILL'), model.end('SIGKILL')]);
    await rm(root, { recursive: true, force: true });
  }
}

async function pace(load: Load, { sessions, rate, seconds }: LoadOptions): Promise<number> {
  const running = new Set<Promise<void>>();
  const from = performance.now();
  const total = rate * seconds;
  let lookedAt = from;
  for (let number = 0; number < total; number += 1) {
    const dueAt = from + (number * 1_000) / rate;
    await sleep(Math.max(0, dueAt - performance.now()));
    if (performance.now() - lookedAt >= lookEveryMs) {
      lookedAt = performance.now();
      load.memory.push(await load.gateway.used());
    }
    const one = turn(load, { index: number % sessions, number: number + 1 });
    running.add(one);
    void one.finally(() => running.delete(one));
  }
  await Promise.all(running);
  return total;
}

/** The same question to the gateway, and to the proxy. */
async function turn(load: Load, { index, number }: { readonly index: number; readonly number: number }): Promise<void> {
  const name = `msg-${index}-${number}`;
  const beganAt = performance.now();
  try {
    const ask = { key: keyOf(index), text: `${name}: what is new?`, messageId: name };
    const saying = sayOnce(load.client, { ...ask, onStored: () => load.firstMs.push(performance.now() - beganAt) });
    const proxied = fetch(load.proxy.url, { method: 'POST', body: JSON.stringify({ name, prompt: ask }) });
    const [end] = await Promise.all([saying, proxied.then(drain)]);
    load.wholeMs.push(performance.now() - beganAt);
    if (end.status !== 'answered') load.faults.push(`${name}: ${end.status}`);
    else if (!end.isAcknowledged) load.faults.push(`${name} was never acknowledged`);
    else if (end.streamed !== end.text || !end.text.startsWith(`${name}-1 `))
      load.faults.push(`${name} was answered with another text: ${end.text}`);
  } catch (error) {
    load.faults.push(`${name}: ${String(error)}`);
  }
}

async function drain(response: Response): Promise<void> {
  for await (const _ of readStream(response));
}

async function gapsOf(
  client: ClientParts,
  followers: readonly ReturnType<typeof follow>[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [index, follower] of followers.entries()) {
    const stored = (await entriesOf(client, keyOf(index))).map(({ id }) => id);
    while (follower.entryIds.length < stored.length) await sleep(20);
    await follower.stop();
    if (JSON.stringify(follower.entryIds) !== JSON.stringify(stored)) faults.push(`${keyOf(index)} has another order`);
  }
  return faults;
}

function growthOf(before: Used, behind: Used): readonly string[] {
  const bytes = behind.heap - before.heap;
  return bytes > mostGrowth ? [`${mega(bytes)} MB more than before`] : [];
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

function mega(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}
