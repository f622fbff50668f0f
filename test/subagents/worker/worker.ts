// A process that does one job on a store, and may be killed in the middle of it. Power stays on: appends need not wait for
// the disk.
import { setImmediate } from 'node:timers/promises';
import type { Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { openPatiently } from '../../crash/open-patiently.ts';
import type { Job } from '../job.ts';
import { type Household, openHousehold, parentKey } from './household.ts';
import { type KillingStore, killingStore } from './killing-store.ts';

/** How often it is looked whether an end has come home: without a bound, but for a product that may never bring it. */
declare const mostLooks: number;

/** What was said and answered before the parent gives a task: enough to be compacted. */
const exchanges = 10;

const job = JSON.parse(process.argv[2] ?? '') as Job;
const store = jsonlStore({ root: job.root, durability: 'os' });
const operations = job.do === 'play' ? await play(job, store) : await recover(job, store);
await store[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify({ operations }));
process.exit(0);

async function play(given: Extract<Job, { readonly do: 'play' }>, inner: Store): Promise<number> {
  const killing = killingStore(inner);
  const home = await openHousehold(killing.store, given.child);
  const { sessions, host } = home;
  for (let count = 1; count <= exchanges; count += 1) {
    await say(home, `Message ${count}, which has ${'many '.repeat(40)}words.`);
    await say(home, `The answer to it, which has ${'many '.repeat(40)}words.`, 'assistant');
  }
  if (given.history === 'compacted') {
    home.summaryGoes.open();
    await compact(home);
  }
  const { childKey } = await sessions.spawn(parentKey, { task: 'Count the stars.' });
  await home.childAsked.opened;
  if (given.parent === 'restarted') {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  }
  const goOn = await setParent(home, given.history === 'just woken' ? 'hibernated' : given.parent);
  const delivered = new Promise((resolve) => host.events.on('subagent-delivered', resolve));
  killing.count({ at: given.killAt, isDone: given.isDone });
  if (given.child === 'is killed') void sessions.stopChild(childKey);
  else home.childGoes.open();
  await delivered;
  await goOn();
  return endOf(home, killing);
}

/** Sets what the parent does when its sub-agent ends; gives what lets it go on behind that. */
async function setParent(home: Household, state: string): Promise<() => Promise<unknown>> {
  if (state === 'hibernated') {
    if (!(await home.sessions.hibernate(parentKey))) throw new Error('The parent did not go to sleep.');
    return async () => undefined;
  }
  if (state === 'compacting') {
    const compacting = compact(home);
    await home.summaryAsked.opened;
    return async () => {
      home.summaryGoes.open();
      await compacting;
    };
  }
  if (state !== 'busy') return async () => undefined;
  const talking = home.sessions.receive({
    ...{ channel: 'test', chatType: 'direct', peer: 'ada', messageId: 'm1', addressed: 'any', text: 'wait for me' },
    sender: { id: 'ada', role: 'owner' },
  });
  await home.parentAsked.opened;
  return async () => {
    home.parentGoes.open();
    await talking;
  };
}

async function recover(given: Extract<Job, { readonly do: 'recover' }>, inner: Store): Promise<number> {
  const home = await openHousehold(inner, given.child);
  const { sessions } = home;
  if (given.wakesFirst) await openPatiently(() => say(home, 'Is anybody there?'));
  const { resumed } = await openPatiently(() => sessions.recover()).then(({ opened }) => opened);
  if (given.child !== 'is killed') home.childGoes.open();
  else for (const childKey of resumed) await sessions.stopChild(childKey);
  if (given.wakesFirst) await say(home, 'And now?');
  await untilHome(home);
  await sessions.recover();
  return endOf(home, null);
}

async function untilHome({ sessions }: Pick<Household, 'sessions'>): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    if ((await sessions.children(parentKey)).every(({ isDelivered }) => isDelivered)) return;
    await setImmediate();
  }
}

async function endOf({ sessions, host }: Household, killing: KillingStore | null): Promise<number> {
  await untilHome({ sessions });
  const { operations: counted = 0 } = killing ?? {};
  await sessions.close();
  await host.close();
  return counted;
}

function say({ sessions }: Household, content: string, role: 'user' | 'assistant' = 'user'): Promise<unknown> {
  return sessions.use(parentKey, (session) => session.ingest({ role, content }));
}

async function compact({ sessions }: Household): Promise<void> {
  const model = { provider: 'test', model: 'scripted' };
  const { status } = await sessions.use(parentKey, (session) => session.compact('manual', { model }));
  if (status !== 'compacted') throw new Error(`Nothing was compacted: ${status}.`);
}
