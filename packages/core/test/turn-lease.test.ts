import {
  createHost,
  definePlugin,
  type Host,
  type Journal,
  type ModelReply,
  memoryStore,
  type Session,
  type SessionLease,
  type Store,
} from '@varve/core';
import { type ManualClock, manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  call,
  deferred,
  entriesOf,
  isPaired,
  linesOf,
  type Script,
  say,
  scriptedModel,
  settle,
  tool,
  user,
} from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };
const minute = 60_000;

/** Two hosts on one store, as two gateways on one database, each with the same session. */
interface Pair {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly hosts: readonly [Host, Host];
  readonly one: Session;
  readonly other: Session;
  lease(): Promise<SessionLease | null>;
}

async function pair(store: Store = memoryStore({ multiProcess: 'full' })): Promise<Pair> {
  const clock = manualClock();
  const hosts = [await createHost({ store, clock }), await createHost({ store, clock })] as const;
  const [one, other] = [await hosts[0].open('s'), await hosts[1].open('s')];
  const lease = async () => (await store.sessions.get('s'))?.lease ?? null;
  return { store, clock, hosts, one, other, lease };
}

/** Lets what waits for another host's turn look again. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

/** A model that answers when it is told to. */
function slowModel(): {
  port: ReturnType<typeof scriptedModel>['port'];
  answer(reply: ModelReply): void;
  asked(): number;
} {
  const replies: ((reply: ModelReply) => void)[] = [];
  const script: Script = () => new Promise((resolve) => replies.push(resolve));
  const { port, requests } = scriptedModel(Array.from({ length: 20 }, () => script));
  return { port, asked: () => requests.length, answer: (reply) => replies.shift()?.(reply) };
}

const stored = async (session: Session): Promise<readonly string[]> => linesOf(session);

describe('two hosts of one session', () => {
  test('never take turns at the same time, and the second answers what the first left', async () => {
    const { clock, one, other, lease } = await pair();
    const [slow, quick] = [slowModel(), scriptedModel([say('To both.')])];
    const first = one.turn({ message: user('One?'), model: slow.port });
    await settle();
    expect(await lease()).toMatchObject({ fence: 1, untilAt: clock.now() + minute });
    const second = other.turn({ message: user('Two?'), model: quick.port });
    await pass(clock, 250);
    expect(await stored(one)).toEqual(['user: One?', 'user: Two?']);
    expect(quick.requests).toHaveLength(0);
    slow.answer(say('One.'));
    expect((await first).pending).toHaveLength(1);
    expect(await lease()).toMatchObject({ fence: 1, untilAt: 0 });
    await pass(clock, 250);
    expect(await second).toMatchObject({ status: 'answered', text: 'To both.' });
    expect(await stored(one)).toEqual(['user: One?', 'user: Two?', 'assistant: One.', 'assistant: To both.']);
    expect(await lease()).toMatchObject({ fence: 2, untilAt: 0 });
  });

  test('do not answer twice what one of them has answered', async () => {
    const { clock, one, other } = await pair();
    const slow = slowModel();
    const look = tool('look', async () => 'found');
    const first = one.turn({ message: user('One?'), model: slow.port, tools: [look] });
    await settle();
    const quick = scriptedModel([say('Never.')]);
    const second = other.turn({ message: user('Two?'), key: 'two', model: quick.port });
    await pass(clock, 250);
    slow.answer(call(['a', 'look']));
    await settle();
    expect(slow.asked()).toBe(2);
    slow.answer(say('Both.'));
    await first;
    await pass(clock, 250);
    expect(await second).toMatchObject({ status: 'answered', text: 'Both.', steps: [] });
    expect(quick.requests).toHaveLength(0);
  });

  test('store a message once that both were given, and answer it once', async () => {
    const { clock, one, other } = await pair();
    const models = [scriptedModel([say('Yes.')]), scriptedModel([say('Yes.')])] as const;
    const turns = [one, other].map((session, at) =>
      session.turn({ message: user('Once?'), key: 'the same', model: models[at === 0 ? 0 : 1].port }),
    );
    for (let look = 0; look < 4; look += 1) await pass(clock, 250);
    expect((await Promise.all(turns)).map(({ text }) => text)).toEqual(['Yes.', 'Yes.']);
    expect(models[0].requests.length + models[1].requests.length).toBe(1);
    expect(await stored(one)).toEqual(['user: Once?', 'assistant: Yes.']);
  });

  test('keep a lease as long as a turn takes, however long a model or a tool does', async () => {
    const { clock, one, other, lease } = await pair();
    const slow = slowModel();
    const first = one.turn({ message: user('One?'), model: slow.port });
    await settle();
    const quick = scriptedModel([say('Two.')]);
    const second = other.turn({ message: user('Two?'), model: quick.port });
    for (let at = 0; at < 30; at += 1) await pass(clock, 20_000);
    expect(await lease()).toMatchObject({ fence: 1, untilAt: clock.now() + minute });
    expect(quick.requests).toHaveLength(0);
    slow.answer(say('One.'));
    expect(await first).toMatchObject({ text: 'One.' });
    await pass(clock, 250);
    expect(await second).toMatchObject({ text: 'Two.' });
  });

  test('wait for a lease no longer than its caller does', async () => {
    const { clock, one, other } = await pair();
    const slow = slowModel();
    const first = one.turn({ message: user('One?'), model: slow.port });
    await settle();
    const [waiting, called] = [scriptedModel([]), new AbortController()];
    const turns = [
      other.turn({ message: user('Two?'), model: waiting.port, signal: called.signal }),
      other.turn({ message: user('Three?'), model: waiting.port }),
    ];
    await settle();
    called.abort();
    await pass(clock, 250);
    expect(other.abort()).toBe(true);
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(['aborted', 'aborted']);
    expect(waiting.requests).toHaveLength(0);
    slow.answer(say('One.'));
    await first;
    expect(await stored(one)).toEqual(['user: One?', 'user: Two?', 'user: Three?', 'assistant: One.']);
  });
});

/** A store whose records a host does not get at from some moment on, until it does again: its machine stands still. */
function standingStill(inner: Store): { readonly store: Store; stop(): void; goOn(): void } {
  let gate = deferred<void>();
  gate.resolve();
  const put: Store['sessions']['put'] = (...given) => gate.promise.then(() => inner.sessions.put(...given));
  const get: Store['sessions']['get'] = (...given) => gate.promise.then(() => inner.sessions.get(...given));
  return {
    store: { ...inner, sessions: { ...inner.sessions, put, get } },
    stop: () => {
      gate = deferred<void>();
    },
    goOn: () => gate.resolve(),
  };
}

describe('a host that dies in a turn', () => {
  /** One host stands still while its model answers; the other waits for its lease to end. */
  async function overtaken() {
    const store = memoryStore({ multiProcess: 'full' });
    const clock = manualClock();
    const machine = standingStill(store);
    const dead = await createHost({ store: machine.store, clock });
    const host = await createHost({ store, clock });
    const [one, other] = [await dead.open('s'), await host.open('s')];
    const slow = slowModel();
    const look = tool('look', async () => 'found');
    const first = one.turn({ message: user('One?'), model: slow.port, tools: [look] });
    first.catch(() => undefined);
    await settle();
    slow.answer(call(['a', 'look']));
    await settle();
    machine.stop();
    const quick = scriptedModel([say('Two.')]);
    const second = other.turn({ message: user('Two?'), model: quick.port });
    await pass(clock, minute - 1);
    expect(quick.requests).toHaveLength(0);
    await pass(clock, 250);
    expect(await second).toMatchObject({ status: 'answered', text: 'Two.' });
    return { store, clock, machine, one, other, slow, first, quick };
  }

  test('is waited for until its lease has ended, and another one goes on from what it had stored', async () => {
    const { store, other, quick } = await overtaken();
    expect((await store.sessions.get('s'))?.lease).toMatchObject({ fence: 2, untilAt: 0 });
    const messages = quick.requests[0]?.prompt.messages ?? [];
    expect(isPaired(messages)).toBe(true);
    expect(JSON.stringify(messages)).toContain('found');
    expect((await stored(other)).at(-1)).toBe('assistant: Two.');
  });

  test('stores nothing of its turn any more when it comes back, and says why', async () => {
    const { machine, one, other, slow, first } = await overtaken();
    const before = await entriesOf(other);
    slow.answer(say('Too late.'));
    await settle();
    machine.goOn();
    await expect(first).rejects.toMatchObject({ code: 'VARVE_LEASE_LOST' });
    expect(await entriesOf(other)).toEqual(before);
    const next = await one.turn({ message: user('Three?'), model: scriptedModel([say('Three.')]).port });
    expect(next).toMatchObject({ status: 'answered', text: 'Three.' });
    expect(JSON.stringify(await entriesOf(one))).not.toContain('Too late.');
  });

  test('learns of it at its next beat, and lets go of its model', async () => {
    const { clock, machine, slow, first } = await overtaken();
    machine.goOn();
    for (let beat = 0; beat < 4; beat += 1) await pass(clock, 20_000);
    await expect(first).rejects.toMatchObject({ code: 'VARVE_LEASE_LOST' });
    expect(slow.asked()).toBe(2);
  });

  test('still stores what it was told beside the turn', async () => {
    const { machine, one, other, slow, first } = await overtaken();
    machine.goOn();
    await one.ingest(user('Beside it.'));
    await one.set('verbose', true);
    slow.answer(say('Too late.'));
    await expect(first).rejects.toMatchObject({ code: 'VARVE_LEASE_LOST' });
    const texts = await stored(other);
    expect(texts).toContain('user: Beside it.');
    expect(texts).not.toContain('assistant: Too late.');
  });
});

describe('a lease', () => {
  test('is given back by a turn that fails, is aborted, or has nothing to answer', async () => {
    const { one, lease } = await pair();
    await expect(one.turn({ model: scriptedModel([]).port })).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
    expect(await lease()).toMatchObject({ fence: 1, untilAt: 0 });
    await expect(one.turn({ message: user('One?'), model: scriptedModel([new Error('No.')]).port })).rejects.toThrow();
    expect(await lease()).toMatchObject({ fence: 2, untilAt: 0 });
    const slow = slowModel();
    const turn = one.turn({ message: user('Two?'), model: slow.port });
    await settle();
    one.abort();
    await turn;
    expect(await lease()).toMatchObject({ fence: 3, untilAt: 0 });
  });

  test('is given back when the session is closed in the middle of a turn', async () => {
    const { hosts, one, lease } = await pair();
    const turn = one.turn({ message: user('One?'), model: slowModel().port });
    await settle();
    await hosts[0].close();
    expect(await turn).toMatchObject({ status: 'aborted' });
    expect(await lease()).toMatchObject({ untilAt: 0 });
  });

  test.for(['no', 'by-session'] as const)('is not taken where the store says %s', async (multiProcess) => {
    const inner = memoryStore();
    const fences: unknown[] = [];
    let leaseWrites = 0;
    const open: Store['open'] = async (...given) => {
      const journal = await inner.open(...given);
      const append: Journal['append'] = (entries, conditions) => {
        fences.push(conditions.fence);
        return journal.append(entries, conditions);
      };
      return { ...journal, append };
    };
    const put: Store['sessions']['put'] = (sessionId, patch, conditions) => {
      // A record that is made is written whole.
      if (conditions.expectedRev > 0 && 'lease' in patch) leaseWrites += 1;
      return inner.sessions.put(sessionId, patch, conditions);
    };
    const store: Store = { ...inner, supports: { multiProcess }, open, sessions: { ...inner.sessions, put } };
    await using host = await createHost({ store });
    const session = await host.open('s');
    await session.turn({ message: user('One?'), model: scriptedModel([say('Yes.')]).port });
    expect(leaseWrites).toBe(0);
    expect(new Set(fences)).toEqual(new Set([undefined]));
    expect(session.info().lease).toBeNull();
  });

  test('does not keep a host from changing the record meanwhile', async () => {
    const { hosts, clock, one, lease } = await pair();
    const slow = slowModel();
    const turn = one.turn({ message: user('One?'), model: slow.port });
    await settle();
    await Promise.all(
      hosts.map((host, n) => host.sessions.patch('s', n === 0 ? { label: 'L' } : { displayName: 'D' })),
    );
    await pass(clock, 20_000);
    slow.answer(say('One.'));
    await turn;
    await Promise.all(hosts.map((host) => host.close()));
    expect(await lease()).toMatchObject({ fence: 1, untilAt: 0 });
  });
});

test('hosts that are given messages in any order store each once and answer all of them', async () => {
  const event = fc.record({ at: fc.nat(1), kind: fc.constantFrom('turn', 'ingest', 'pass') });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
      const { store, clock, hosts, one, other } = await pair();
      let running = 0;
      let most = 0;
      const port = {
        ref: model,
        generate: async () => {
          running += 1;
          most = Math.max(most, running);
          await settle();
          running -= 1;
          return say('Yes.');
        },
      };
      const turns: Promise<unknown>[] = [];
      const expected: string[] = [];
      for (const [n, { at, kind }] of events.entries()) {
        const session = at === 0 ? one : other;
        if (kind === 'pass') await pass(clock, 250);
        else expected.push(`user: ${n}`);
        if (kind === 'ingest') await session.ingest(user(`${n}`));
        if (kind === 'turn') turns.push(session.turn({ message: user(`${n}`), model: port }));
      }
      turns.push(one.turn({ message: user('last'), model: port }));
      let isOver = false;
      const all = Promise.all(turns).then(() => {
        isOver = true;
      });
      for (let look = 0; look < 200 && !isOver; look += 1) await pass(clock, 250);
      await all;
      expect(most).toBe(1);
      const texts = await stored(one);
      expect(texts.filter((line) => line.startsWith('user')).toSorted()).toEqual(
        [...expected, 'user: last'].toSorted(),
      );
      await Promise.all(hosts.map((host) => host.close()));
      await using host = await createHost({ store });
      const last = (await host.open('s')).view.messages().at(-1);
      expect(last?.message.role).toBe('assistant');
    }),
    { numRuns: 30 },
  );
});

describe('T-21: two hosts that compact one session at once', () => {
  async function talk(session: Session): Promise<void> {
    for (let n = 1; n <= 8; n += 1) {
      await session.ingest(user(`Question ${n}. ${'clay '.repeat(80)}`));
      await session.ingest({ role: 'assistant', content: `Answer ${n}. ${'silt '.repeat(80)}` });
    }
  }

  const summarizer = (gate: Promise<void>) =>
    definePlugin({
      name: 'summarizer',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.summarize.tapPromise('summarizer', async () => {
          await gate;
          return 'They spoke of clay.';
        });
      },
    })({});

  async function compacting() {
    const store = memoryStore({ multiProcess: 'full' });
    const clock = manualClock();
    const gate = deferred<void>();
    const quick = await createHost({ store, clock });
    await talk(await quick.open('s'));
    const slow = await createHost({ store, clock, plugins: [summarizer(gate.promise)] });
    const [one, other] = [await quick.open('s'), await slow.open('s')];
    const late = other.compact('manual', { model });
    await settle();
    return { one, other, gate, late };
  }

  test('tell the one that comes second that the other was first', async () => {
    const { one, other, gate, late } = await compacting();
    expect((await one.compact('manual', { model })).status).toBe('compacted');
    gate.resolve();
    expect(await late).toMatchObject({ status: 'stale', entry: null, why: expect.stringContaining('ompaction') });
    const compactions = (await entriesOf(one)).filter(({ type }) => type === 'compaction');
    expect(compactions).toHaveLength(1);
    expect(other.view.compaction()?.id).toBe(compactions[0]?.id);
  });

  test('do not hinder each other when the other one only stores a message', async () => {
    const { one, other, gate, late } = await compacting();
    await one.ingest(user('Meanwhile.'));
    gate.resolve();
    expect(await late).toMatchObject({ status: 'compacted' });
    expect(JSON.stringify(other.view.messages())).toContain('Meanwhile.');
  });

  test('write nothing of what the other one has had forgotten meanwhile', async () => {
    const { one, other, gate, late } = await compacting();
    const [first] = one.view.messages();
    await one.forget([first?.id ?? ''], 'asked by its owner');
    gate.resolve();
    expect(await late).toMatchObject({ status: 'stale' });
    expect((await other.compact('manual', { model })).status).toBe('compacted');
  });
});
