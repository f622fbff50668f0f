import {
  createHost,
  definePlugin,
  type Item,
  type Message,
  memoryStore,
  type Session,
  type StopReason,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call, lineOf, linesOf, say, scriptedModel, settle, tool, user } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

/** A model that streams a beginning and then says nothing more. */
function stuckAfter(text: string) {
  return scriptedModel([
    (_, { onDelta }) => {
      onDelta?.({ type: 'text', text });
      return new Promise(() => undefined);
    },
  ]);
}

/** A turn that is aborted when `text` has come of its answer. */
async function abortedTurn(session: Session, { message, text }: { readonly message?: Message; readonly text: string }) {
  const controller = new AbortController();
  const turn = session.turn({
    ...(message === undefined ? {} : { message }),
    model: stuckAfter(text).port,
    signal: controller.signal,
    onDelta: () => undefined,
  });
  await settle();
  controller.abort();
  return turn;
}

function half(content: string, stop: StopReason = 'aborted'): Message {
  return { role: 'assistant', content, stop };
}

/** A plugin that looks at the items of each draft, and what it saw last. */
function lookingPlugin() {
  let seen: readonly Item[] = [];
  const plugin = definePlugin({
    name: 'looking',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.shape.tapPromise('look', ({ items }) => {
        seen = items;
        return undefined;
      }),
  });
  const line = ({ id, live, unread }: Item): string =>
    [id, ...(live ? ['live'] : []), ...(unread ? ['unread'] : [])].join(' ');
  return { plugin, items: () => seen.map(line) };
}

describe('half an answer', () => {
  test('answers nothing: a turn without a message asks the model again, without it', async () => {
    await using host = await createHost({ clock: manualClock() });
    const session = await host.open('s');
    const aborted = await abortedTurn(session, { message: user('Go'), text: 'Once ' });
    expect(aborted).toMatchObject({ status: 'aborted', text: 'Once ' });
    expect(aborted.pending).toEqual([aborted.input]);
    const next = scriptedModel([say('Whole.')]);
    const record = await session.turn({ model: next.port });
    expect(record).toMatchObject({ status: 'answered', text: 'Whole.', pending: [] });
    expect(next.requests.map(({ prompt }) => prompt.messages.map(lineOf))).toEqual([['user: Go']]);
    expect(await linesOf(session)).toEqual(['user: Go', 'assistant: Once ', 'assistant: Whole.']);
  });

  test('that the end of a session cut off is asked for again in the next process', async () => {
    const store = memoryStore();
    const host = await createHost({ clock: manualClock(), store });
    const session = await host.open('s');
    const turn = session.turn({ message: user('Go'), model: stuckAfter('Once ').port, onDelta: () => undefined });
    await settle();
    await host.close();
    expect(await turn).toMatchObject({ status: 'aborted', text: 'Once ' });
    await using again = await createHost({ clock: manualClock(), store });
    const next = scriptedModel([say('Whole.')]);
    expect(await (await again.open('s')).turn({ model: next.port })).toMatchObject({ text: 'Whole.' });
    expect(next.requests).toHaveLength(1);
  });

  test.each<StopReason>(['aborted', 'error'])(
    'that a port gives back with the stop "%s" answers nothing',
    async (stop) => {
      await using host = await createHost({ clock: manualClock() });
      const session = await host.open('s');
      const scripted = scriptedModel([say('Once', stop), say('Whole.')]);
      const first = await session.turn({ message: user('Go'), model: scripted.port });
      expect(first).toMatchObject({ status: 'answered', message: { stop }, pending: [first.input] });
      expect(await session.turn({ model: scripted.port })).toMatchObject({ text: 'Whole.', pending: [] });
      expect(scripted.requests[1]?.prompt.messages).toEqual([user('Go')]);
    },
  );

  test.each<StopReason>(['length', 'content-filter', 'other'])('with the stop "%s" is one', async (stop) => {
    await using host = await createHost({ clock: manualClock() });
    const session = await host.open('s');
    const scripted = scriptedModel([say('Long', stop)]);
    await session.turn({ message: user('Go'), model: scripted.port });
    expect(await session.turn({ model: scripted.port })).toMatchObject({ text: 'Long', steps: [], pending: [] });
    expect(scripted.requests).toHaveLength(1);
  });

  test('is shown to the model where the user goes on behind it, and the answer is to all that was said', async () => {
    await using host = await createHost({ clock: manualClock() });
    const session = await host.open('s');
    await abortedTurn(session, { message: user('Count the boats.'), text: 'One, two' });
    const next = scriptedModel([say('Five.')]);
    const record = await session.turn({ message: user('Only the red ones.'), model: next.port });
    expect(record).toMatchObject({ text: 'Five.', pending: [] });
    expect(next.requests[0]?.prompt.messages.map(lineOf)).toEqual([
      'user: Count the boats.',
      'assistant: One, two',
      'user: Only the red ones.',
    ]);
  });

  test('is left out for good once a whole one has come, prompts only grow, and manifests say so', async () => {
    await using host = await createHost({ clock: manualClock() });
    const session = await host.open('s');
    const changes: (number | null)[] = [];
    const verdicts: string[][] = [];
    host.events.on('prompt-assembled', ({ prompt }) => {
      changes.push(prompt.manifest.firstChangedByte);
      verdicts.push(prompt.manifest.entries.map(({ kind, rule }) => [kind, rule].join(' ').trim()));
    });
    await abortedTurn(session, { message: user('Go'), text: 'Once ' });
    await abortedTurn(session, { text: 'Once upon' });
    const scripted = scriptedModel([say('Once upon a time.'), say('The end.')]);
    await session.turn({ model: scripted.port });
    await session.turn({ message: user('And then?'), model: scripted.port });
    expect(scripted.requests.at(-1)?.prompt.messages.map(lineOf)).toEqual([
      'user: Go',
      'assistant: Once upon a time.',
      'user: And then?',
    ]);
    expect(changes).toEqual([null, null, null, null]);
    const left = 'dropped unfinished-answer';
    expect(verdicts.at(-1)).toEqual(['kept', left, left, 'kept', 'kept']);
  });

  test('that calls tools is no such half: its results say that none was run, and the model goes on', async () => {
    await using host = await createHost({ clock: manualClock() });
    const session = await host.open('s');
    const calls = call(['a', 'read']);
    const cut = { ...calls, message: { ...calls.message, stop: 'error' as const } };
    const scripted = scriptedModel([cut, say('Done.')]);
    const tools = [tool('read')];
    await session.turn({ message: user('Go'), model: scripted.port, tools });
    expect(await session.turn({ model: scripted.port, tools })).toMatchObject({ text: 'Done.' });
    expect(scripted.requests[1]?.prompt.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test('leaves what the user asked before it in the running turn, and results before it unread', async () => {
    const looked = lookingPlugin();
    await using host = await createHost({ plugins: [looked.plugin()] });
    const session = await host.open('s');
    const output = { type: 'text', value: 'The log.' } as const;
    const result = { type: 'tool-result', toolCallId: 'a', toolName: 'read', output } as const;
    const before: Message[] = [user('Read.'), call(['a', 'read']).message, { role: 'tool', content: [result] }];
    for (const message of [...before, half('The log'), user('Which boat?'), half('The red'), user('The oldest.')]) {
      await session.ingest(message);
    }
    await session.assemble({ model });
    expect(looked.items()).toEqual(['#1', '#2', '#3 unread', '#4', '#5 live', '#6 live', '#7 live']);
    await session.ingest({ role: 'assistant', content: 'The oldest is red.' });
    await session.assemble({ model });
    expect(looked.items()).toEqual(['#1', '#2', '#3', '#4', '#5 live', '#6 live', '#7 live', '#9 live']);
  });

  test('at the end of a journal that holds nothing else is nothing that a turn could answer', async () => {
    await using host = await createHost({ clock: manualClock() });
    const session = await host.open('s');
    await session.ingest(half('Hel'));
    await expect(session.turn({ model: scriptedModel([]).port })).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
    });
  });
});
