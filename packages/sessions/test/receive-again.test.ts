import { describe, expect, it } from 'vitest';
import { beginTalk, linesIn, resetting, type Talk } from './talk.ts';

const key = 'agent:main:main';

/** What becomes of a conversation between two deliveries of one message. */
interface Between {
  readonly name: string;
  change(talk: Talk, ids: { readonly first: string; readonly begun: string }): Promise<unknown>;
}

const betweens: readonly Between[] = [
  { name: 'a reset by the host', change: ({ sessions }) => sessions.reset(key, { reason: 'host' }) },
  { name: 'an archiving', change: ({ sessions }) => sessions.archive(key) },
  { name: 'a return to the one before', change: ({ sessions }, { first }) => sessions.restore(key, first) },
  {
    name: 'a return and a reset',
    change: async ({ sessions }, { first }) => {
      await sessions.restore(key, first);
      await sessions.reset(key, { reason: 'host' });
    },
  },
  {
    name: 'a reset and a return',
    change: async ({ sessions }, { begun }) => {
      await sessions.reset(key, { reason: 'host' });
      await sessions.restore(key, begun);
    },
  },
  { name: 'another /new', change: (talk) => talk.say('/new', { messageId: 'other' }) },
];

const texts: readonly string[] = ['/new', '/new Buy milk', '/new test/small Buy milk', 'Buy milk', '/model small'];

describe('what is delivered again after the conversation has been changed otherwise', () => {
  it.each(betweens.flatMap(({ name, change }) => texts.map((text) => ({ name, change, text }))))(
    '$text, after $name, is neither stored, nor carried out, nor answered again',
    async ({ change, text }) => {
      await using talk = await beginTalk({ plugins: [resetting()] });
      const first = await talk.say('Hello!', { messageId: 'first' });
      const begun = await talk.say(text, { messageId: 'X' });
      await change(talk, { first: first.sessionId, begun: begun.sessionId });
      const [asked, generations] = [talk.asked.length, (await talk.sessions.generations(key)).length];
      const words = talk.words.length;
      const isAwake = (await talk.sessions.current(key)) !== null;
      expect(await talk.say(text, { messageId: 'X' })).toMatchObject({ status: 'duplicate', reset: null });
      expect({ asked: talk.asked.length, words: talk.words.length }).toEqual({ asked, words });
      // One that was archived is begun by whatever comes next.
      expect(await talk.sessions.generations(key)).toHaveLength(generations + (isAwake ? 0 : 1));
      const current = await talk.sessions.current(key);
      const lines = await linesIn(talk, current?.sessionId ?? '');
      expect(lines.filter((line) => line === 'user: Buy milk').length).toBeLessThan(2);
    },
  );

  it('is known when it was rewound', async () => {
    await using talk = await beginTalk();
    await talk.say('One', { messageId: 'one' });
    await talk.say('Two', { messageId: 'two' });
    await talk.sessions.use(key, async (session) => {
      const [first] = session.view.messages();
      await session.moveHead(first?.id ?? '', { reason: 'rewind' });
    });
    const { length } = talk.asked;
    expect(await talk.say('Two', { messageId: 'two' })).toMatchObject({ status: 'duplicate' });
    expect(talk.asked).toHaveLength(length);
    expect(await talk.say('Two', { messageId: 'edited' })).toMatchObject({ status: 'answered' });
  });

  it('is known where it was said after a return, too', async () => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    const first = await talk.say('Hello!', { messageId: 'first' });
    await talk.sessions.reset(key, { reason: 'host' });
    await talk.say('One', { messageId: 'one' });
    await talk.sessions.restore(key, first.sessionId);
    await talk.say('Two', { messageId: 'two' });
    await talk.sessions.reset(key, { reason: 'host' });
    for (const [text, messageId] of [
      ['Hello!', 'first'],
      ['One', 'one'],
      ['Two', 'two'],
    ] as const) {
      expect(await talk.say(text, { messageId })).toMatchObject({ status: 'duplicate' });
    }
    expect(talk.asked).toHaveLength(3);
  });

  it('is a setting of no generation: what began one is not said of the next', async () => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    await talk.say('Hello!');
    const begun = await talk.say('/new Buy milk');
    const reset = await talk.sessions.reset(key, { reason: 'host' });
    for (const sessionId of [begun.sessionId, reset.sessionId]) {
      await using session = await talk.host.open(sessionId, { readOnly: true });
      expect(session.view.settings).toEqual({});
    }
  });
});
