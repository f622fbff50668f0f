import {
  createHost,
  type Delivery,
  definePlugin,
  type Inbound,
  memoryStore,
  type PluginContext,
  resetRequestOf,
  type Session,
} from '@varve/core';
import { askDelivery, askReset, keysOfSession, messageOfKey, takesLong } from '@varve/core/host';
import { manualClock } from '@varve/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const delivery: Delivery = {
  sessionKey: 'agent:main:telegram:group:7',
  sessionId: 's',
  agentId: 'main',
  kind: 'reply',
  channel: 'telegram',
  chatType: 'group',
  recipient: '7',
  addressed: 'any',
  provenance: { kind: 'user' },
  text: 'Here it is.',
};

const inbound: Inbound = {
  channel: 'telegram',
  chatType: 'group',
  peer: '7',
  messageId: 'm1',
  sender: { id: '1', role: 'member' },
  addressed: 'any',
  text: 'Hello!',
};

function plugin(name: string, apply: (context: PluginContext) => void): ReturnType<ReturnType<typeof definePlugin>> {
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply })();
}

async function sessionWith(...applies: readonly ((context: PluginContext) => void)[]): Promise<Session> {
  const plugins = applies.map((apply, index) => plugin(`plugin-${index + 1}`, apply));
  const host = await createHost({ plugins, clock: manualClock() });
  return host.open('s', { channel: 'telegram' });
}

describe('what leaves a session', () => {
  it('is allowed when nobody is against it', async () => {
    const session = await sessionWith();
    expect(await askDelivery(session, delivery)).toEqual({ delivery, allow: true, reason: expect.any(String) });
  });

  it('is denied by the first plugin that is against it, which the decision names', async () => {
    const asked: string[] = [];
    const session = await sessionWith(
      ({ hooks }) =>
        hooks.deliver.tapPromise('deny', (decision) => {
          asked.push('first');
          return { ...decision, allow: false, reason: 'No groups.', rule: 'groups' };
        }),
      ({ hooks }) =>
        hooks.deliver.tapPromise('allow again', (decision) => {
          asked.push('second');
          return { ...decision, allow: true, reason: 'Why not.' };
        }),
    );
    const decision = await askDelivery(session, delivery);
    expect(decision).toMatchObject({ allow: false, by: 'plugin-2', rule: 'policy-failed' });
    expect(decision.reason).toContain('It allowed what had been denied.');
    expect(asked).toEqual(['first', 'second']);
  });

  it('keeps the reason of who denied first when others agree, and what is delivered cannot be changed', async () => {
    const deny =
      (reason: string) =>
      ({ hooks }: PluginContext): void =>
        hooks.deliver.tapPromise('deny', (decision) => ({
          ...decision,
          allow: false,
          reason,
          delivery: { ...decision.delivery, recipient: 'somebody else' },
        }));
    const session = await sessionWith(deny('First.'), deny('Second.'));
    expect(await askDelivery(session, delivery)).toEqual({ delivery, allow: false, reason: 'First.', by: 'plugin-1' });
  });

  it('is denied each time by a plugin that always fails: no breaker opens', async () => {
    let calls = 0;
    const session = await sessionWith(({ hooks }) =>
      hooks.deliver.tapPromise('fail', () => {
        calls += 1;
        throw new Error('out of order');
      }),
    );
    for (let times = 1; times <= 12; times += 1) {
      const { allow, reason } = await askDelivery(session, delivery);
      expect({ allow, reason }).toEqual({ allow: false, reason: expect.stringContaining('out of order') });
      expect(calls).toBe(times);
    }
  });

  it('is denied when the caller has given up', async () => {
    const session = await sessionWith(({ hooks }) =>
      hooks.deliver.tapPromise('wait', () => new Promise(() => undefined)),
    );
    const { allow } = await askDelivery(session, delivery, { signal: AbortSignal.abort() });
    expect(allow).toBe(false);
  });

  it('is told to listeners, whatever was decided', async () => {
    const host = await createHost({
      plugins: [
        plugin('quiet', ({ hooks }) =>
          hooks.deliver.tapPromise('deny typing', (decision) =>
            decision.delivery.kind === 'typing' ? { ...decision, allow: false, reason: 'Quiet.' } : undefined,
          ),
        ),
      ],
    });
    const told: unknown[] = [];
    host.events.on('delivery-decided', ({ sessionId, decision }) => told.push([sessionId, decision.allow]));
    const session = await host.open('s');
    await askDelivery(session, delivery);
    await askDelivery(session, { ...delivery, kind: 'typing' });
    expect(told).toEqual([
      ['s', true],
      ['s', false],
    ]);
  });
});

describe('whether a conversation should end', () => {
  it('is for plugins to say: without an answer it goes on', async () => {
    expect(await askReset(await sessionWith())).toBeNull();
    expect(
      await askReset(await sessionWith(({ hooks }) => hooks.shouldReset.tapPromise('ask', () => undefined))),
    ).toBeNull();
  });

  it('is asked with the record of the session, the message and the time', async () => {
    const seen: unknown[] = [];
    const session = await sessionWith(({ hooks }) =>
      hooks.shouldReset.tapPromise('look', ({ record, inbound: message, now }) => {
        seen.push([record.channel, record.counters.messages, message?.text, now]);
        return { reason: 'idle', text: 'It had been quiet.' };
      }),
    );
    await session.ingest({ role: 'user', content: 'Hi.' });
    expect(await askReset(session, { inbound })).toEqual({ reason: 'idle', text: 'It had been quiet.' });
    expect(seen).toEqual([['telegram', 1, 'Hello!', expect.any(Number)]]);
  });

  it('is decided by the next plugin where one fails', async () => {
    const session = await sessionWith(
      ({ hooks }) =>
        hooks.shouldReset.tapPromise('fail', () => {
          throw new Error('no');
        }),
      ({ hooks }) => hooks.shouldReset.tapPromise('answer', () => ({ reason: 'daily' })),
    );
    expect(await askReset(session)).toEqual({ reason: 'daily' });
    expect(session.health().findings).toHaveLength(1);
  });

  it('can be asked of a session alone, and of none that another copy of core made', async () => {
    await expect(askReset({} as Session)).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
    await expect(askDelivery(null as never, delivery)).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
  });
});

describe('the keys of a session', () => {
  it('are told with the messages that were ingested under them, across a restart and without a lock', async () => {
    const store = memoryStore();
    const host = await createHost({ store, clock: manualClock() });
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'Without a key.' });
    const first = await session.ingest({ role: 'user', content: 'One' }, { key: 'k1' });
    await session.ingest({ role: 'user', content: 'Two' }, { key: 'k2' });
    const other = await createHost({ store, clock: manualClock() });
    for (const one of [session, await other.open('s', { readOnly: true })]) {
      expect(keysOfSession(one)).toEqual(['k1', 'k2']);
      expect(await messageOfKey(one, 'k1')).toEqual(first);
      expect(await messageOfKey(one, 'k3')).toBeNull();
    }
    await session.moveHead(first.id, { reason: 'rewind' });
    expect(await messageOfKey(session, 'k2')).toBeNull();
    expect(await messageOfKey(session, 'k1')).toEqual(first);
    await other.close();
    await host.close();
  });
});

describe('a request for a new conversation', () => {
  const reset = { reason: 'command', trigger: '/new', model: null, message: 'Hello!', greeting: null } as const;

  it('is read from the reply to a command, and from no other', () => {
    expect(resetRequestOf({ text: 'Begun.', data: { reset } })).toEqual(reset);
    for (const data of [null, undefined, {}, { reset: null }, { reset: { ...reset, reason: 'daily' } }, { reset: 1 }]) {
      expect(resetRequestOf({ text: 'Begun.', data: data as never })).toBeNull();
    }
    expect(resetRequestOf(null)).toBeNull();
  });
});

describe('whether a command takes long', () => {
  it.each([
    ['/compact', true],
    ['  /COMPACT the clay', true],
    ['/compact\nthe clay', true],
    ['/dig [deep]', true],
    ['/Dig', true],
    ['//compact', false],
    ['/compacted', false],
    ['/compact-now', false],
    ['compact', false],
    ['Do /compact', false],
    ['/help', false],
    ['/look', false],
    ['/digger', false],
    ['', false],
  ])('is said by who lists it: %j %j', async (text, expected) => {
    const listing = plugin('acme/listing', ({ listCommand }) => {
      listCommand({ command: '/dig [depth]', what: 'Digs.', takesLong: true });
      listCommand({ command: '/look', what: 'Looks.' });
    });
    await using host = await createHost({ plugins: [listing] });
    expect(takesLong(await host.open('s'), text)).toBe(expected);
  });
});
