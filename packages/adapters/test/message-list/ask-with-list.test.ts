import { addToList, askWithList, type ListedMessage } from '@varve/adapters/message-list';
import { createHost, definePlugin, type Session } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { assistant, calls, linesOfList, listed, openTalk, pathOf, results, user } from './talk.ts';

const model = { provider: 'test', model: 'm' };
const words = 'The tide came in and went out again. '.repeat(20);

function longTalk(): ListedMessage[] {
  const rounds = Array.from({ length: 8 }, (_, index) => [user(`${index} ${words}`), assistant(`${index} noted`)]);
  return listed(...rounds.flat(), user('and now?'));
}

/** A session that counts what is asked of it, and tells before each. */
function watched(session: Session, before: (count: number) => void): { session: Session; count: () => number } {
  let count = 0;
  const watchedMethods = new Set(['read', 'ingest', 'moveHead', 'compact', 'assemble']);
  const tell = <Arguments extends unknown[], Result>(method: (...given: Arguments) => Result) => {
    return (...given: Arguments): Result => {
      count += 1;
      before(count);
      return method(...given);
    };
  };
  const entries = Object.entries(session).map(([name, value]) => [
    name,
    watchedMethods.has(name) ? tell(value as () => unknown) : (value as unknown),
  ]);
  return { session: { ...session, ...Object.fromEntries(entries) } as Session, count: () => count };
}

describe('asking with a list', () => {
  it('gives the model what the session makes of the list, and its system messages', async () => {
    await using talk = await openTalk();
    const list = listed({ role: 'system', content: 'Be brief.' }, user('hello'));
    const seen = await askWithList(talk.session, list, { model, ask: async (prompt) => prompt });
    expect(seen.system).toEqual(['Be brief.']);
    expect(seen.prompt.messages).toEqual([user('hello')]);
  });

  it('counts the system messages, what is sent besides, and the tools', async () => {
    const tokensWith = async (system: string): Promise<number> => {
      await using host = await createHost({ budget: { windowTokens: 4_000 } });
      const session = await host.open('s');
      const list = [...listed({ role: 'system', content: system }), ...longTalk()];
      return await askWithList(session, list, { model, ask: async ({ prompt }) => prompt.tokens });
    };
    expect(await tokensWith(words.repeat(12))).toBeLessThan(await tokensWith('Be brief.'));
  });

  it('compacts first where a plugin says that it is due', async () => {
    const eager = definePlugin<Record<string, never>, unknown>({
      ...{ name: 'test/eager', version: '1.0.0', apiVersion: '^1.0.0' },
      options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
      apply: ({ hooks }) => {
        hooks.shouldCompact.tapPromise('always', async () => true);
      },
    });
    await using host = await createHost({ budget: { windowTokens: 2_000 }, plugins: [eager({})] });
    const session = await host.open('s');
    await askWithList(session, longTalk(), { model, ask: async () => 'done' });
    expect(session.view.compaction()?.trigger).toBe('threshold');
  });

  it('asks at most three times, each time with less', async () => {
    await using host = await createHost({ budget: { windowTokens: 4_000 } });
    const session = await host.open('s');
    const sizes: number[] = [];
    const tooLong = new Error('prompt is too long: 9000 tokens > 8192 maximum');
    const asking = askWithList(session, longTalk(), {
      model,
      ask: async ({ prompt }) => {
        sizes.push(prompt.tokens);
        throw tooLong;
      },
    });
    await expect(asking).rejects.toBe(tooLong);
    expect(sizes.length).toBeLessThanOrEqual(3);
    expect(sizes.toSorted((a, b) => b - a)).toEqual(sizes);
    expect(new Set(sizes).size).toBe(sizes.length);
  });

  it('passes on any other failure at once', async () => {
    await using talk = await openTalk();
    let asked = 0;
    const asking = askWithList(talk.session, listed(user('hello')), {
      model,
      ask: async () => {
        asked += 1;
        throw new Error('slow down');
      },
    });
    await expect(asking).rejects.toThrow('slow down');
    expect(asked).toBe(1);
  });

  it('says what makes a prompt impossible', async () => {
    await using host = await createHost({ budget: { windowTokens: 1_000 } });
    const session = await host.open('s');
    const asking = askWithList(session, listed(user('hello')), {
      model,
      system: [words.repeat(20)],
      ask: async () => 1,
    });
    await expect(asking).rejects.toMatchObject({ code: 'VARVE_BUDGET_IMPOSSIBLE' });
  });

  it('may be aborted anywhere, and goes on from there', async () => {
    const before = listed(user('hello'), assistant('hi'), user('wrong'));
    const list = listed(user('hello'), assistant('hi'), user('read'), calls('c1'), results({ c1: 'one' }));
    const answer = { message: assistant('done') };
    for (let abortAt = 1, isThrough = false; !isThrough; abortAt += 1) {
      await using talk = await openTalk();
      await askWithList(talk.session, before, { model, ask: async () => 'sorry' });
      const controller = new AbortController();
      const { session, count } = watched(talk.session, (number) => number === abortAt && controller.abort());
      const run = async (signal?: AbortSignal): Promise<void> => {
        await askWithList(session, list, { model, ask: async () => 'done', signal });
        await addToList(session, answer);
      };
      await run(controller.signal).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'VARVE_ABORTED' });
      });
      isThrough = count() < abortAt;
      await run();
      expect(pathOf(talk.session)).toEqual(linesOfList([...list, answer]));
    }
  });
});
