import { describe, expect, it } from 'vitest';
import { beginTalk } from './talk.ts';

const key = 'agent:main:telegram:direct:123';

describe('a message whose conversation is known', () => {
  it('goes into it, whatever the routing says', async () => {
    await using talk = await beginTalk();
    const received = await talk.say('Hello', {}, { conversation: key });
    expect(received.route).toMatchObject({ keyText: key, agentId: 'main', chatType: 'direct' });
    expect((await talk.sessions.current(key))?.counters.messages).toBe(2);
    const routed = await talk.say('Hello');
    expect(routed.route.keyText).toBe('agent:main:main');
  });

  it('is taken once, as any other', async () => {
    await using talk = await beginTalk();
    await talk.say('Hello', { messageId: 'm1' }, { conversation: key });
    const again = await talk.say('Hello', { messageId: 'm1' }, { conversation: key });
    expect(again.status).toBe('duplicate');
    expect(talk.asked).toHaveLength(1);
  });

  it('is refused for what is no key', async () => {
    await using talk = await beginTalk();
    await expect(talk.say('Hello', {}, { conversation: '../x' })).rejects.toMatchObject({ code: 'VARVE_KEY_INVALID' });
  });
});

describe('whoever wants to know when a message is durable', () => {
  it('is told its entry before a model is asked, also of one that was delivered before', async () => {
    const order: string[] = [];
    await using talk = await beginTalk({
      script: () => {
        order.push('asked');
        return 'Hi';
      },
    });
    const onStored = ({ seq }: { readonly seq: number }) => order.push(`stored ${seq}`);
    await talk.say('Hello', { messageId: 'm1' }, { onStored });
    await talk.say('Hello', { messageId: 'm1' }, { onStored });
    expect(order).toEqual(['stored 1', 'asked', 'stored 1']);
  });

  it('is told nothing of a command, and breaks nothing when it throws', async () => {
    await using talk = await beginTalk();
    const told: number[] = [];
    await talk.say('/status', {}, { onStored: ({ seq }) => told.push(seq) });
    expect(told).toEqual([]);
    const onStored = (): never => {
      throw new Error('not now');
    };
    expect((await talk.say('Hello', { messageId: 'm2' }, { onStored })).status).toBe('answered');
  });
});

describe('the model that would answer', () => {
  it('is that of the session, of its defaults, or nobody', async () => {
    await using talk = await beginTalk();
    await talk.say('Hello');
    const named = await talk.sessions.use('agent:main:main', async (session) => {
      const before = talk.sessions.modelOf(session);
      await session.set('model', 'test/small');
      return [before, talk.sessions.modelOf(session)];
    });
    expect(named).toMatchObject([{ model: 'large' }, { model: 'small' }]);
    await using silent = await beginTalk({ answers: false });
    await silent.say('Hello');
    const nobody = await silent.sessions.use('agent:main:main', async (session) => silent.sessions.modelOf(session));
    expect(nobody).toBeNull();
  });
});
