import { memoryStore, type Store } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, it } from 'vitest';
import { type Death, dyingStore } from './dying-store.ts';
import { entriesOf, recordsOf, settle } from './stage.ts';
import { allHome, beginFamily, endsTold, type FamilyOptions, heldChild, parentKey } from './subagent-family.ts';

const anHourLater = 1_700_003_600_000;
const nothing = { delivered: [], resumed: [], interrupted: [], removed: [], waiting: [] };

/** Lets a process stop at once, with one of its operations on the store; `false` when it had none as late as that. */
async function dieAt(store: Store, death: Death, options: FamilyOptions = {}): Promise<boolean> {
  const dying = dyingStore(store, death);
  const family = await beginFamily({ ...options, store: dying.store });
  const living = async (): Promise<boolean> => {
    await family.say('hello');
    await family.sessions.spawn(parentKey, { task: 'x', cleanup: 'delete' });
    await family.say('go on');
    await allHome(family.sessions);
    return false;
  };
  const isDead = await Promise.race([dying.died.then(() => true), living().catch(() => false)]);
  await settle();
  return isDead;
}

/** All operations at which a process can die, before or after each is carried out. */
async function forEachDeath(check: (death: Death, store: Store) => Promise<void>): Promise<number> {
  for (let at = 1; ; at += 1) {
    for (const isDone of [false, true]) {
      const store = memoryStore();
      if (!(await dieAt(store, { at, isDone }))) return at - 1;
      await check({ at, isDone }, store);
    }
  }
}

describe('after a restart', () => {
  it('an end comes in once, wherever the process was killed between the task and the last note of its end', async () => {
    const deaths = await forEachDeath(async (death, store) => {
      await using family = await beginFamily({ store, clock: manualClock(anHourLater) });
      await family.sessions.recover();
      await family.say('hello again');
      await allHome(family.sessions);
      const children = await family.sessions.children(parentKey);
      const told = await endsTold(family);
      expect({ ...death, told: told.length }).toEqual({ ...death, told: children.length });
      const open = (await recordsOf(store)).filter(({ state, key }) => state === 'open' && key !== parentKey);
      expect({ ...death, open }).toEqual({ ...death, open: [] });
      const parent = await family.sessions.current(parentKey);
      const slots = (await entriesOf(store, parent?.sessionId ?? '')).filter(({ type }) => type === 'state');
      expect({ ...death, isOdd: slots.length % 2 }).toEqual({ ...death, isOdd: 0 });
      expect(await family.sessions.recover()).toEqual(nothing);
    });
    expect(deaths).toBeGreaterThan(20);
  });

  it.each([
    ['resume', 'done', 'did: x'],
    ['fail', 'failed', 'It was interrupted: the process ended while it worked.'],
  ] as const)('one that had not ended is told of, with onRestart "%s"', async (onRestart, status, text) => {
    const held = heldChild();
    const first = await beginFamily({ child: held.child });
    const { childKey, ended } = await first.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    await first.sessions.close();
    await expect(ended).rejects.toMatchObject({ code: 'VARVE_SESSION_CLOSED' });
    await first.host.close();
    await using family = await beginFamily({ store: first.store, subagents: { onRestart } });
    const recovery = await family.sessions.recover();
    expect(onRestart === 'resume' ? recovery.resumed : recovery.interrupted).toEqual([childKey]);
    await allHome(family.sessions);
    const [child] = await family.sessions.children(parentKey);
    expect(child?.end).toMatchObject({ status, text });
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('one that ends the process again and again is given up and told as failed', async () => {
    let store: Store = memoryStore();
    for (let life = 0; life < 4; life += 1) {
      const held = heldChild();
      const family = await beginFamily({ child: held.child, store });
      store = family.store;
      if (life === 0) await family.sessions.spawn(parentKey, { task: 'x' });
      else expect((await family.sessions.recover()).resumed).toHaveLength(1);
      await held.asked;
      await family.sessions.close();
      await family.host.close();
    }
    await using family = await beginFamily({ store });
    expect((await family.sessions.recover()).interrupted).toHaveLength(1);
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('one whose time is over by then is told so', async () => {
    const held = heldChild();
    const first = await beginFamily({ child: held.child });
    await first.sessions.spawn(parentKey, { task: 'x', timeoutMs: 60_000 });
    await held.asked;
    await first.sessions.close();
    await first.host.close();
    const { store, clock } = first;
    clock.advance(3_600_000);
    await using family = await beginFamily({ store, clock, child: heldChild().child });
    await family.sessions.recover();
    clock.advance(0);
    await allHome(family.sessions);
    const [child] = await family.sessions.children(parentKey);
    expect(child?.end?.status).toBe('timeout');
  });

  it('it comes home without recover, too, as soon as somebody talks with its parent', async () => {
    let found = 0;
    await forEachDeath(async (_death, store) => {
      await using family = await beginFamily({ store });
      const [child] = await family.sessions.children(parentKey);
      if (child === undefined || child.end === null || child.isDelivered) return;
      found += 1;
      await family.say('hello again');
      await settle();
      expect(await endsTold(family)).toHaveLength(1);
    });
    expect(found).toBeGreaterThan(0);
  });

  it('nobody touches the sub-agents of a process that is still there', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    expect(await family.sessions.recover()).toEqual(nothing);
    held.go();
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
  });
});
