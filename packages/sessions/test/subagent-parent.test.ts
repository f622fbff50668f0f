import { describe, expect, it } from 'vitest';
import { entriesOf, settle } from './stage.ts';
import { allHome, beginFamily, endsTold, heldChild, next, parentKey, says } from './subagent-family.ts';
import { gate } from './talk.ts';

describe('the end of a sub-agent comes in once', () => {
  it('when its parent answers meanwhile: the running turn sees it, or the next one, and nobody announces it again', async () => {
    const [answering, answer, held] = [gate(), gate(), heldChild()];
    const parent = async (request: Parameters<typeof says>[0]): Promise<string> => {
      if (says(request, '> did')) return 'I heard of it.';
      answering.open();
      await answer.opened;
      return 'I am back.';
    };
    await using family = await beginFamily({ child: held.child, parent });
    const { ended } = await family.sessions.spawn(parentKey, { task: 'x' });
    const talking = family.say('hello');
    await answering.opened;
    const delivered = next(family, 'subagent-delivered');
    held.go();
    await ended;
    await delivered;
    expect(await endsTold(family)).toHaveLength(1);
    answer.open();
    await talking;
    await allHome(family.sessions);
    const words = family.words.filter((line) => !line.startsWith('typing'));
    expect(words).toEqual(['reply: I am back.', 'announcement: I heard of it.']);
  });

  it('when its parent sleeps, which wakes for it', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    await family.say('hello');
    await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    expect(await family.sessions.hibernate(parentKey)).toBe(true);
    held.go();
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('when its parent was begun anew: in the generation that goes on', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    await family.say('hello');
    const { childKey } = await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    const { sessionId, previousSessionId } = await family.sessions.reset(parentKey, { reason: 'new' });
    const slot = (await entriesOf(family.store, sessionId)).find(({ type }) => type === 'state');
    expect(slot).toMatchObject({ slot: 'subagents', text: expect.stringContaining(childKey) });
    held.go();
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
    const before = await entriesOf(family.store, previousSessionId ?? '');
    expect(before.some((entry) => entry.type === 'message' && entry.provenance.kind === 'subagent')).toBe(false);
  });

  it('when its parent goes back to an earlier generation, whose state says that it is still at work', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    await family.say('hello');
    await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    const { previousSessionId } = await family.sessions.reset(parentKey, { reason: 'new' });
    held.go();
    await allHome(family.sessions);
    await family.sessions.restore(parentKey, previousSessionId ?? '');
    await family.say('hello again');
    await settle();
    expect(await endsTold(family)).toHaveLength(1);
    const states = (await entriesOf(family.store, previousSessionId ?? '')).filter(({ type }) => type === 'state');
    expect(states.at(-1)).toMatchObject({ slot: 'subagents', text: null });
  });

  it('when its parent was rewound behind its beginning; and rewinding behind its end does not bring it again', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    await family.say('hello');
    const { sessions } = family;
    const first = await sessions.use(parentKey, async ({ view }) => view.messages()[1]?.id ?? '');
    await sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    const rewind = () => sessions.use(parentKey, (session) => session.moveHead(first, { reason: 'rewind' }));
    await rewind();
    held.go();
    await allHome(sessions);
    await rewind();
    await sessions.recover();
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('when its parent is compacted before, meanwhile and behind it', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    const { sessions } = family;
    for (let round = 0; round < 6; round += 1) await family.say(`message ${round} with some words in it`);
    const compact = () =>
      sessions.use(parentKey, (session) => session.compact('manual', { model: { provider: 'test', model: 'large' } }));
    await sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    const compacting = compact();
    held.go();
    expect((await compacting).status).toBe('compacted');
    await allHome(sessions);
    await compact();
    await sessions.recover();
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('when its parent is archived: as soon as that is restored', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    await family.say('hello');
    const { ended, childKey } = await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    const parent = await family.sessions.current(parentKey);
    await family.host.sessions.patch(parent?.sessionId ?? '', { state: 'archived' });
    held.go();
    await ended;
    await settle();
    expect(await endsTold(family)).toHaveLength(0);
    expect(await family.sessions.recover()).toMatchObject({ waiting: [{ childKey }] });
    await family.sessions.restore(parentKey, parent?.sessionId ?? '');
    await family.say('are you there?');
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('when the conversation of the sub-agent itself was begun anew: what was under way is told as stopped', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    const { childKey, sessionId, ended } = await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    await family.sessions.reset(childKey, { reason: 'new' });
    expect(await ended).toMatchObject({ status: 'stopped' });
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
    expect((await entriesOf(family.store, sessionId)).map(({ type }) => type)).toContain('sessions:ended');
  });

  it('and the policies are asked before it is announced', async () => {
    const denied: string[] = [];
    await using family = await beginFamily();
    await family.say('hello');
    await family.sessions.use(parentKey, (session) => session.set('send', 'off'));
    family.host.events.on('delivery-decided', ({ decision }) => denied.push(decision.delivery.kind));
    await family.sessions.spawn(parentKey, { task: 'x' });
    await allHome(family.sessions);
    await settle();
    expect(denied).toContain('announcement');
  });
});
