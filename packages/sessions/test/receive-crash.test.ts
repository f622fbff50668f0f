import { memoryStore, type Store } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { dyingStore } from './dying-store.ts';
import { beginTalk, linesIn, resetting, type Talk } from './talk.ts';

const key = 'agent:main:main';

/** A conversation of which something was said before. */
async function beginStore(): Promise<Store> {
  const store = memoryStore();
  await using talk = await beginTalk({ store, plugins: [resetting()] });
  await talk.say('Before', { messageId: 'before' });
  return store;
}

/** What arrives while the process is killed; the channel delivers it again afterwards. */
interface Deed {
  readonly name: string;
  readonly texts: readonly string[];
  /** What stands in the current generation when it has been delivered again. */
  readonly lines: readonly string[];
  readonly generations: number;
}

const before = ['user: Before', 'assistant: re: Before'];

const deeds: readonly Deed[] = [
  { name: 'a message', texts: ['One'], lines: [...before, 'user: One', 'assistant: re: One'], generations: 1 },
  {
    name: '/new with a message',
    texts: ['/new One'],
    lines: ['user: One', 'assistant: re: One'],
    generations: 2,
  },
  {
    name: '/new',
    texts: ['/new'],
    lines: ['user: Greet the user.', 'assistant: re: Greet the user.'],
    generations: 2,
  },
  {
    name: '/new with a model, and a message',
    texts: ['/new test/small', 'One'],
    lines: ['user: Greet the user.', 'assistant: re: Greet the user.', 'user: One', 'assistant: re: One'],
    generations: 2,
  },
];

async function deliverAll(talk: Talk, { texts }: Deed): Promise<void> {
  for (const [index, text] of texts.entries()) await talk.say(text, { messageId: `during-${index}` });
}

describe('a process that is killed while it receives', () => {
  it.each(deeds)(
    '$name: each moment, and delivered again: stored once, answered once, begun anew once',
    async (deed) => {
      let killed = 0;
      for (let at = 1; ; at += 1) {
        for (const isDone of [false, true]) {
          const store = await beginStore();
          const dying = dyingStore(store, { at, isDone });
          const first = await beginTalk({ store: dying.store, plugins: [resetting()] });
          const done = deliverAll(first, deed).then(() => 'done');
          const ended = await Promise.race([done, dying.died.then(() => 'died')]);
          if (ended === 'died') killed += 1;
          await using second = await beginTalk({ store, plugins: [resetting()] });
          await deliverAll(second, deed);
          const record = await second.sessions.current(key);
          const whole = { at, isDone, lines: await linesIn(second, record?.sessionId ?? '') };
          expect(whole).toEqual({ at, isDone, lines: deed.lines });
          const generations = await second.sessions.generations(key);
          const used = generations.filter(({ currentSince }) => currentSince !== null);
          expect({ at, isDone, generations: used.length }).toEqual({ at, isDone, generations: deed.generations });
          expect(await second.say('Before', { messageId: 'before' })).toMatchObject({ status: 'duplicate' });
          if (ended === 'done') {
            expect(killed).toBeGreaterThan(8);
            return;
          }
        }
      }
    },
  );
});
