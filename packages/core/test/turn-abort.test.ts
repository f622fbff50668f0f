import { createHost, memoryStore, type Session } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import {
  call,
  deferred,
  entriesOf,
  isPaired,
  linesOf,
  say,
  scriptedModel,
  settle,
  tool,
  user,
} from './turn/scripted-model.ts';

const stuck = (): Promise<never> => new Promise(() => undefined);

async function open(): Promise<Session> {
  const host = await createHost({ clock: manualClock() });
  return host.open('s');
}

/** What every session must be like after a turn, however that ended. */
async function checkSession(session: Session): Promise<void> {
  const next = scriptedModel([say('Next.')]);
  expect(await session.turn({ message: user('Next'), model: next.port })).toMatchObject({ text: 'Next.' });
  expect(isPaired(next.requests[0]?.prompt.messages ?? [])).toBe(true);
  const texts = await linesOf(session);
  expect(texts.filter((line) => line === 'user: Go').length).toBeLessThanOrEqual(1);
}

describe('a turn that is aborted', () => {
  test('before it begins stores nothing and calls nobody', async () => {
    const session = await open();
    const model = scriptedModel([]);
    const record = await session.turn({ message: user('Go'), model: model.port, signal: AbortSignal.abort() });
    expect(record).toMatchObject({ status: 'aborted', input: null, message: null, steps: [], pending: [] });
    expect([await linesOf(session), model.requests]).toEqual([[], []]);
    await checkSession(session);
  });

  test('while it waits for another one leaves that one alone', async () => {
    const session = await open();
    const gate = deferred<void>();
    const model = scriptedModel([
      async () => {
        await gate.promise;
        return say('One.');
      },
      say('Three.'),
    ]);
    const controller = new AbortController();
    const first = session.turn({ message: user('One'), model: model.port });
    const second = session.turn({ message: user('Two'), model: model.port, signal: controller.signal });
    const third = session.turn({ message: user('Three'), model: model.port });
    await settle();
    controller.abort();
    expect(await second).toMatchObject({ status: 'aborted', input: null });
    gate.resolve();
    expect([(await first).text, (await third).text]).toEqual(['One.', 'Three.']);
    expect(await linesOf(session)).toEqual(['user: One', 'assistant: One.', 'user: Three', 'assistant: Three.']);
  });

  test('while the model answers keeps what was streamed, and waits for no port that ignores its signal', async () => {
    const session = await open();
    const controller = new AbortController();
    const model = scriptedModel([
      (_, { onDelta }) => {
        onDelta?.({ type: 'reasoning', text: 'Hm.' });
        onDelta?.({ type: 'text', text: 'Once ' });
        onDelta?.({ type: 'text', text: 'upon' });
        return stuck();
      },
    ]);
    const turn = session.turn({
      message: user('Go'),
      model: model.port,
      signal: controller.signal,
      onDelta: () => undefined,
    });
    await settle();
    controller.abort();
    expect(await turn).toMatchObject({
      status: 'aborted',
      message: { role: 'assistant', content: 'Once upon', stop: 'aborted' },
      text: 'Once upon',
      steps: [],
    });
    expect(await linesOf(session)).toEqual(['user: Go', 'assistant: Once upon']);
    await checkSession(session);
  });

  test.each([
    ['answers an error', () => Promise.reject(new Error('socket closed'))],
    ['has said nothing', () => stuck()],
  ])('while the model %s stores no answer', async (_, script) => {
    const session = await open();
    const controller = new AbortController();
    const model = scriptedModel([
      (_request, { signal }) =>
        new Promise((resolve, reject) => signal?.addEventListener('abort', () => void script().then(resolve, reject))),
    ]);
    const turn = session.turn({ message: user('Go'), model: model.port, signal: controller.signal });
    await settle();
    controller.abort();
    expect(await turn).toMatchObject({ status: 'aborted', message: null });
    expect(await linesOf(session)).toEqual(['user: Go']);
    await checkSession(session);
  });

  test('while tools run gives each call a result, and waits for none that ignores its signal', async () => {
    const session = await open();
    const controller = new AbortController();
    const model = scriptedModel([call(['a', 'fast'], ['b', 'slow'], ['c', 'slow'])]);
    const [fast, slow] = [tool('fast'), tool('slow', stuck)];
    const turn = session.turn({
      message: user('Go'),
      model: model.port,
      tools: [fast, slow],
      signal: controller.signal,
    });
    await settle();
    controller.abort();
    const record = await turn;
    expect(record.status).toBe('aborted');
    expect(record.steps[0]?.toolCalls.map(({ status }) => status)).toEqual(['done', 'aborted', 'aborted']);
    const aborted = 'error-text Aborted before it gave a result. It may have done a part of its work.';
    expect(await linesOf(session)).toEqual([
      'user: Go',
      'assistant: calls fast a, calls slow b, calls slow c',
      'tool: a text fast did it',
      `tool: b ${aborted}`,
      `tool: c ${aborted}`,
    ]);
    await checkSession(session);
  });

  test('by the end of its session leaves a journal that goes on', async () => {
    const store = memoryStore();
    const host = await createHost({ clock: manualClock(), store });
    const session = await host.open('s');
    const model = scriptedModel([call(['a', 'slow'])]);
    const tools = [tool('slow', stuck)];
    const turn = session.turn({ message: user('Go'), model: model.port, tools });
    const waiting = session.turn({ message: user('Later'), model: model.port });
    await settle();
    await host.close();
    expect([(await turn).status, (await waiting).status]).toEqual(['aborted', 'aborted']);
    await using again = await createHost({ clock: manualClock(), store });
    const reopened = await again.open('s');
    expect(await linesOf(reopened)).toEqual([
      'user: Go',
      'assistant: calls slow a',
      expect.stringContaining('tool: a error-text Aborted'),
    ]);
    await checkSession(reopened);
  });

  test('can be aborted at every await, and the session always goes on', async () => {
    const ends = new Map<string, number>();
    for (let ticks = 0; ; ticks += 1) {
      const session = await open();
      const controller = new AbortController();
      const counted = tool('act');
      const model = scriptedModel([
        call(['a', 'act'], ['b', 'act']),
        async (_, { onDelta }) => {
          onDelta?.({ type: 'text', text: 'Do' });
          await null;
          onDelta?.({ type: 'text', text: 'ne' });
          await null;
          return say('Done');
        },
      ]);
      let isOver = false;
      const turn = session
        .turn({
          message: user('Go'),
          model: model.port,
          tools: [counted],
          signal: controller.signal,
          onDelta: () => undefined,
        })
        .finally(() => {
          isOver = true;
        });
      for (let tick = 0; tick < ticks; tick += 1) await null;
      const wasOver = isOver;
      controller.abort();
      const record = await turn;
      ends.set(record.status, (ends.get(record.status) ?? 0) + 1);
      expect(new Set(counted.ran).size, `after ${ticks} ticks`).toBe(counted.ran.length);
      const results = (await linesOf(session)).filter((line) => line.startsWith('tool'));
      const calls = (await linesOf(session)).some((line) => line.includes('calls act a'));
      expect(results, `after ${ticks} ticks`).toHaveLength(calls ? 2 : 0);
      const known = (await entriesOf(session)).some((entry) => entry.id === record.input?.id);
      expect(known).toBe(record.input !== null);
      await checkSession(session);
      if (wasOver) break;
    }
    expect(ends.get('aborted')).toBeGreaterThan(20);
    expect(ends.get('answered')).toBeGreaterThan(0);
  });
});
