import { describe, expect, it } from 'vitest';
import { entriesOf, heldModel, say, setStage, textsOf } from './stage.ts';

const key = 'agent:main:main';
const newKey = 'agent:main:direct:bob';

describe('a fork', () => {
  it('begins with all that the conversation holds; from there on each goes its own way', async () => {
    await using stage = await setStage();
    const { sessions, store } = stage;
    const source = await say(sessions, key, 'shared');
    const { sessionId } = await sessions.fork(key, { newKey, label: 'Other' });
    await say(sessions, key, 'here');
    expect(await say(sessions, newKey, 'there')).toBe(sessionId);
    expect(await textsOf(store, source)).toEqual(['shared', 'here']);
    expect(await textsOf(store, sessionId)).toEqual(['shared', 'there']);
    expect(await sessions.current(newKey)).toMatchObject({ label: 'Other', forkedFrom: { sessionId: source, seq: 1 } });
  });

  it('of an earlier moment is as discreet as the conversation is now', async () => {
    await using stage = await setStage();
    const { sessions, store } = stage;
    const source = await say(sessions, key, 'early');
    const [early] = await entriesOf(store, source);
    await sessions.use(key, (session) => session.set('send', 'off'));
    await say(sessions, key, 'late');
    const { sessionId } = await sessions.fork(key, { newKey, at: early?.id ?? '' });
    expect(await textsOf(store, sessionId)).toEqual(['early']);
    expect(await sessions.use(newKey, async (session) => session.view.settings)).toEqual({ send: 'off' });
  });

  it('does not wait for the turn of the conversation that it is made of', async () => {
    await using stage = await setStage();
    const { sessions, store } = stage;
    const { port, asked, answer } = heldModel();
    const turning = sessions.use(key, (session) =>
      session.turn({ message: { role: 'user', content: 'Long work.' }, model: port }),
    );
    await asked;
    const { sessionId } = await sessions.fork(key, { newKey });
    expect(await textsOf(store, sessionId)).toEqual(['Long work.']);
    answer();
    expect(await turning).toMatchObject({ status: 'answered' });
  });

  it('takes the place of no conversation that goes on, and may follow one that has ended', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    await expect(sessions.fork(key, { newKey })).rejects.toMatchObject({ code: 'VARVE_SESSION_UNKNOWN' });
    await say(sessions, key, 'a');
    const taken = await say(sessions, newKey, 'b');
    for (const into of [newKey, key]) {
      await expect(sessions.fork(key, { newKey: into })).rejects.toMatchObject({ code: 'VARVE_KEY_TAKEN' });
    }
    await sessions.archive(newKey);
    const { sessionId } = await sessions.fork(key, { newKey });
    expect((await sessions.generations(newKey)).map((record) => record.sessionId)).toEqual([sessionId, taken]);
  });

  it.each([
    ['on', 'off', 'off'],
    ['off', 'on', 'off'],
    ['on', 'inherit', 'on'],
    ['inherit', { mode: 'deny', until: null, at: 1 }, { mode: 'deny', until: null, at: 1 }],
    [{ mode: 'allow', until: null, at: 1 }, 'a word nobody knows', 'a word nobody knows'],
  ])('forbids what either conversation forbids whose history it goes on from: %j and %j make %j', async (...said) => {
    const [here, there, both] = said;
    await using stage = await setStage();
    const { sessions } = stage;
    await sessions.use(key, (session) => session.set('send', here));
    await sessions.use(newKey, (session) => session.set('send', there));
    await sessions.archive(newKey);
    await sessions.fork(key, { newKey });
    expect(await sessions.use(newKey, async (session) => session.view.settings)).toEqual({ send: both });
  });

  it('is refused when it would be larger than it may be, and leaves nothing behind', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    await say(sessions, key, 'a word '.repeat(1_000));
    await expect(sessions.fork(key, { newKey, mostTokens: 100 })).rejects.toMatchObject({
      code: 'VARVE_FORK_TOO_LARGE',
    });
    expect(await sessions.generations(newKey)).toEqual([]);
    expect(sessions.states().map(({ keyText }) => keyText)).toEqual([key]);
  });

  it.each([['send'], ['incognito']])('cannot be given %s', async (name) => {
    await using stage = await setStage();
    await say(stage.sessions, key, 'a');
    const forking = stage.sessions.fork(key, { newKey, settings: { [name]: null } });
    await expect(forking).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
  });
});

describe('a rewind', () => {
  it('takes messages back and leaves settings, so that nothing leaves that was forbidden', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const settings = await sessions.use(key, async (session) => {
      const first = await session.ingest({ role: 'user', content: 'first' });
      await session.ingest({ role: 'user', content: 'second' });
      await session.set('send', 'off');
      await session.moveHead(first.id, { reason: 'rewind' });
      expect(session.view.messages().map(({ message }) => message.content)).toEqual(['first']);
      return session.view.settings;
    });
    expect(settings).toEqual({ send: 'off' });
  });
});
