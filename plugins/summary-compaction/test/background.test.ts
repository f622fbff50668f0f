import type { CompactOutcome } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { manualClock } from '@varve/testkit';
import { describe, expect, it } from 'vitest';
import { checkShape } from './check-prompt.ts';
import { type FakeModel, fakeModel } from './fake-model.ts';
import { assistant, calls, long, model, result, type Talk, talk, user } from './talk.ts';

/** A model that answers when it is told to. */
function deferred(): { readonly writer: FakeModel; readonly asked: Promise<void>; answer(text: string): void } {
  let answer = (_: string): void => undefined;
  let begin = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const writer = fakeModel(() => {
    begin();
    return new Promise<string>((resolve) => {
      answer = resolve;
    });
  });
  return { writer, asked, answer: (text) => answer(text) };
}

/** Talks until the prompt is over its soft limit. */
async function fill({ say, session }: Talk): Promise<void> {
  for (let n = 1; session.pressure({ model }).level === 'none'; n += 1) {
    await say(user(long(`M${n}`, 300)), assistant(`A${n}: counted.`));
  }
  expect(session.pressure({ model }).level).toBe('soft');
}

/** A session above its soft limit, at which a background run has asked its model. */
async function underWay(): Promise<{
  readonly talking: Talk;
  readonly running: Promise<CompactOutcome>;
  readonly writer: FakeModel;
  readonly clock: ReturnType<typeof manualClock>;
  answer(text: string): void;
}> {
  const { writer, asked, answer } = deferred();
  const clock = manualClock();
  const plugins = [summaryCompaction({ models: [writer] })];
  const talking = await talk({ clock, budget: { inputTokens: 8_000 }, plugins });
  await fill(talking);
  expect((await talking.compact('threshold')).status).toBe('below-threshold');
  const running = talking.compact('background');
  await asked;
  return { talking, running, writer, clock, answer };
}

const prose = '### Goal\n- Count the clay.';

describe('a compaction in the background', () => {
  it('keeps nobody from speaking: what arrives is durable at once, and stands behind what is committed', async () => {
    const { talking, running, answer } = await underWay();
    const arrived = await talking.say(user('One.'), user('Two.'), calls('child'), result('child', 'Child: done.'));
    const durable = (await talking.entries()).map(({ id }) => id);
    for (const { id } of arrived) expect(durable).toContain(id);
    const before = await talking.ask();
    expect(before.messages.slice(-4)).toEqual(arrived.map(({ message }) => message));
    await talking.say(user('Three.'));
    answer(prose);
    const { status, entry, tokensAfter } = await running;
    expect([status, entry?.prose, entry?.trigger]).toEqual(['compacted', prose, 'background']);
    const { messages, tokens } = await talking.ask();
    checkShape(messages);
    expect(tokens).toBe(tokensAfter);
    expect(messages.slice(-5)).toEqual([...arrived.map(({ message }) => message), user('Three.')]);
  });

  it('is stale when another one was committed first, and that one waits for no model', async () => {
    const { talking, running, writer, answer } = await underWay();
    const first = await talking.compacted('overflow');
    expect(first.prose).toBeNull();
    expect(writer.asked).toHaveLength(1);
    answer(prose);
    expect(await running).toMatchObject({ status: 'stale', entry: null });
    expect(talking.session.view.compaction()?.id).toBe(first.id);
    expect(talking.session.health().findings).toEqual([]);
  });

  it('is stale when the head has moved', async () => {
    const { talking, running, answer } = await underWay();
    const [, , third] = await talking.entries();
    await talking.session.moveHead(third?.id ?? '', { reason: 'rewind' });
    answer(prose);
    expect((await running).status).toBe('stale');
    expect(talking.session.view.compaction()).toBeNull();
  });

  it('ends at the deadline of the hook with the digest alone, when the model never answers', async () => {
    const { talking, running, clock, answer } = await underWay();
    await talking.say(user('Still there?'));
    clock.advance(179_999);
    clock.advance(1);
    const { status, entry } = await running;
    expect([status, entry?.prose]).toEqual(['compacted', null]);
    expect(talking.session.health().findings).toMatchObject([{ lastCode: 'VARVE_TAP_TIMEOUT' }]);
    answer(prose);
    await talking.say(assistant('Yes.'));
    expect((await talking.ask()).messages.at(-1)).toEqual(assistant('Yes.'));
    expect(talking.session.view.compaction()?.prose).toBeNull();
  });

  it('lets others wait for a model again once it is over', async () => {
    const { talking, running, writer, answer } = await underWay();
    answer(prose);
    await running;
    await fill(talking);
    const waiting = talking.compacted('overflow');
    while (writer.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    answer(`${prose}\n- Again.`);
    expect((await waiting).prose).toBe(`${prose}\n- Again.`);
  });
});
