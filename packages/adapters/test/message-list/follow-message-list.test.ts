import { addToList, followMessageList } from '@varve/adapters/message-list';
import { createHost, definePlugin, type Message } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { assistant, calls, linesOfList, listed, openTalk, pathOf, results, user } from './talk.ts';

const long = 'The file holds a line about deployments. '.repeat(20);

describe('following the list of a host', () => {
  it('stores what is new, and nothing twice', async () => {
    await using talk = await openTalk();
    const list = listed(user('hello'), calls('c1', 'c2'), results({ c1: 'one', c2: 'two' }), assistant('done'));
    const first = await followMessageList(talk.session, list);
    const second = await followMessageList(talk.session, list);
    expect(first.added).toHaveLength(5);
    expect(second).toMatchObject({ added: [], moved: null, isShorter: false });
    expect(pathOf(talk.session)).toEqual(linesOfList(list));
  });

  it('leaves system messages at the front to the host, and stores those that come later', async () => {
    await using talk = await openTalk();
    const note = { role: 'system', content: 'The user is in Bern.' } as const;
    const list = listed({ role: 'system', content: 'Be brief.' }, user('hello'), note, assistant('hi'));
    const { system, added } = await followMessageList(talk.session, list);
    expect(system).toEqual(['Be brief.']);
    expect(added.map(({ message }) => message.role)).toEqual(['user', 'system', 'assistant']);
  });

  it('goes on after a restart', async () => {
    await using before = await openTalk();
    const list = listed(user('hello'), assistant('hi'), user('more'));
    await followMessageList(before.session, list.slice(0, 2));
    await before.session.close();
    await using after = await openTalk(before.store);
    const { added, moved } = await followMessageList(after.session, list);
    expect(added.map(({ message }) => message.content)).toEqual(['more']);
    expect(moved).toBeNull();
  });

  it('takes back what the end of the list no longer has', async () => {
    await using talk = await openTalk();
    const list = listed(user('hello'), assistant('hi'), user('wrong'), assistant('sorry'));
    await followMessageList(talk.session, list);
    const { moved, added } = await followMessageList(talk.session, list.slice(0, 2));
    expect(moved).toMatchObject({ type: 'head', reason: 'rewind' });
    expect(added).toEqual([]);
    expect(pathOf(talk.session)).toEqual(linesOfList(list.slice(0, 2)));
  });

  it('goes another way where a message was edited, even the first one', async () => {
    await using talk = await openTalk();
    await followMessageList(talk.session, listed(user('hello'), assistant('hi'), user('more'), assistant('less')));
    for (const list of [listed(user('hello'), assistant('hi'), user('other')), listed(user('good day'))]) {
      await followMessageList(talk.session, list);
      expect(pathOf(talk.session)).toEqual(linesOfList(list));
    }
  });

  it('comes back to a branch that was left, with all that was there', async () => {
    await using talk = await openTalk();
    const one = listed(user('hello'), assistant('hi'), user('more'), assistant('less'));
    const other = listed(user('hello'), assistant('hi'), user('other'), assistant('way'));
    await followMessageList(talk.session, one);
    await followMessageList(talk.session, other);
    const back = await followMessageList(talk.session, [...one, ...listed(user('and?'))]);
    expect(back.moved).toMatchObject({ reason: 'restore' });
    expect(back.added).toHaveLength(1);
    expect(pathOf(talk.session)).toEqual([...linesOfList(one), 'user: and?']);
  });

  it('finds a conversation again after a call that was none of it', async () => {
    await using talk = await openTalk();
    const list = listed(user('hello'), calls('c1'), results({ c1: 'one' }), assistant('hi'));
    await followMessageList(talk.session, list);
    await followMessageList(talk.session, listed(user('A title for this, please.')));
    const { added } = await followMessageList(talk.session, list);
    expect(added).toEqual([]);
    expect(pathOf(talk.session)).toEqual(linesOfList(list));
  });

  it('keeps the compactions of what it comes back to, and of what it goes on from', async () => {
    await using talk = await openTalk();
    const words = 'The tide came in and went out again. '.repeat(20);
    const rounds = Array.from({ length: 12 }, (_, index) => [user(`${index} ${words}`), assistant(`${index} noted`)]);
    const list = listed(...rounds.flat());
    await followMessageList(talk.session, list);
    await talk.session.compact('manual', { model: { provider: 'test', model: 'm' } });
    const compaction = talk.session.view.compaction();
    expect(compaction).not.toBeNull();
    const more = [...list, ...listed(user('more'))];
    await followMessageList(talk.session, more);
    await followMessageList(talk.session, list);
    expect(talk.session.view.compaction()?.id).toBe(compaction?.id);
    for (const last of [list, more]) {
      await followMessageList(talk.session, last);
      await followMessageList(talk.session, listed(user('A title for this, please.')));
      expect(talk.session.view.compaction()).toBeNull();
      expect(await followMessageList(talk.session, last)).toMatchObject({ added: [] });
      expect(talk.session.view.compaction()?.id).toBe(compaction?.id);
    }
  });

  it('keeps a compaction behind the last message of what it comes back to', async () => {
    await using talk = await openTalk();
    const words = 'The tide came in and went out again. '.repeat(20);
    const rounds = Array.from({ length: 12 }, (_, index) => [user(`${index} ${words}`), assistant(`${index} noted`)]);
    const list = listed(...rounds.flat());
    await followMessageList(talk.session, list);
    await talk.session.compact('manual', { model: { provider: 'test', model: 'm' } });
    const compaction = talk.session.view.compaction();
    await followMessageList(talk.session, listed(user('A title for this, please.')));
    await followMessageList(talk.session, list);
    expect(talk.session.view.compaction()?.id).toBe(compaction?.id);
  });

  it('runs a tool again with another result and leaves call and result together', async () => {
    await using talk = await openTalk();
    const asked = listed(user('read'), calls('c1', 'c2'));
    await followMessageList(talk.session, [...asked, ...listed(results({ c1: 'one', c2: 'two' }))]);
    const again = [...asked, ...listed(results({ c1: 'one', c2: 'other' }))];
    await followMessageList(talk.session, again);
    expect(pathOf(talk.session)).toEqual(linesOfList(again));
    const types: string[] = [];
    for await (const { type } of talk.session.read()) types.push(type);
    expect(types.filter((type) => type === 'head')).toHaveLength(1);
  });

  it('knows a message again whatever its reasoning, its options and its parts', async () => {
    await using talk = await openTalk();
    await followMessageList(talk.session, listed(user('hello'), assistant('hi there')));
    const other = listed(
      { role: 'user', content: [{ type: 'text', text: 'hello', providerOptions: { a: { cache: true } } }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'They greet.' },
          { type: 'text', text: 'hi ' },
          { type: 'text', text: 'there' },
        ],
      },
    );
    expect(await followMessageList(talk.session, other)).toMatchObject({ added: [], moved: null });
  });

  it('tells equal messages apart by their place', async () => {
    await using talk = await openTalk();
    const list = listed(user('yes'), assistant('ok'), user('yes'), assistant('ok'), user('yes'));
    await followMessageList(talk.session, list);
    expect(pathOf(talk.session)).toEqual(linesOfList(list));
    await followMessageList(talk.session, list.slice(0, 3));
    expect(pathOf(talk.session)).toEqual(linesOfList(list.slice(0, 3)));
  });

  it('adds an answer that the next list then brings, without storing it twice', async () => {
    await using talk = await openTalk();
    await followMessageList(talk.session, listed(user('hello')));
    const usage = { inputTokens: 9, outputTokens: 2 };
    const [entry] = await addToList(talk.session, { message: assistant('hi'), usage });
    expect(entry).toMatchObject({ usage, provenance: { kind: 'model' } });
    const list = listed(user('hello'), assistant('hi'), user('more'));
    const { added } = await followMessageList(talk.session, list);
    expect(added).toHaveLength(1);
  });

  it('drops an answer that the host never took over', async () => {
    await using talk = await openTalk();
    await followMessageList(talk.session, listed(user('hello')));
    await addToList(talk.session, { message: assistant('lost') });
    const list = listed(user('hello'), assistant('hi'));
    await followMessageList(talk.session, list);
    expect(pathOf(talk.session)).toEqual(linesOfList(list));
  });

  it('leaves what others have put in where it stands', async () => {
    await using talk = await openTalk();
    const list = listed(user('hello'), assistant('hi'));
    await followMessageList(talk.session, list);
    await talk.session.ingest(user('A sub-agent is done.'), { provenance: { kind: 'subagent' } });
    const { moved } = await followMessageList(talk.session, [...list, ...listed(user('more'))]);
    expect(moved).toBeNull();
    expect(pathOf(talk.session)).toEqual(['user: hello', 'assistant: hi', 'user: A sub-agent is done.', 'user: more']);
  });

  it('recognises what was forgotten, and does not say it again', async () => {
    await using talk = await openTalk();
    const list = listed(user('my number is 12345678901234'), assistant('noted'));
    const { added } = await followMessageList(talk.session, list);
    await talk.session.forget([added[0]?.id ?? ''], 'asked for');
    await talk.session.close();
    await using after = await openTalk(talk.store);
    const next = await followMessageList(after.session, [...list, ...listed(user('more'))]);
    expect(next).toMatchObject({ moved: null });
    expect(next.added).toHaveLength(1);
    expect(pathOf(after.session).join('\n')).not.toContain('12345678901234');
  });

  it('passes over an empty list and messages without content', async () => {
    await using talk = await openTalk();
    await followMessageList(talk.session, listed(user('hello')));
    expect(await followMessageList(talk.session, [])).toMatchObject({ added: [], moved: null });
    const empty = { role: 'assistant', content: [] } as const;
    expect(await followMessageList(talk.session, listed(user('hello'), empty))).toMatchObject({ added: [] });
  });

  it('runs calls for one session one after the other', async () => {
    await using talk = await openTalk();
    const lists = ['one', 'two', 'three'].map((text) => listed(user('hello'), assistant(text), user(`${text}?`)));
    await Promise.all(lists.map((list) => followMessageList(talk.session, list)));
    expect(pathOf(talk.session)).toEqual(linesOfList(lists.at(-1) ?? []));
  });

  it('knows what plugins have rewritten', async () => {
    const redactor = definePlugin<Record<string, never>, unknown>({
      ...{ name: 'test/redactor', version: '1.0.0', apiVersion: '^1.0.0' },
      options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
      apply: ({ hooks }) => {
        hooks.ingest.tapPromise('redact', async (given) => ({ ...given, message: user('[redacted]') }));
      },
    });
    await using host = await createHost({ plugins: [redactor({})] });
    const session = await host.open('talk');
    const list = listed(user('my key is 1234'), user('and 5678'));
    await followMessageList(session, list);
    expect(pathOf(session)).toEqual(['user: [redacted]', 'user: [redacted]']);
    expect(await followMessageList(session, list)).toMatchObject({ added: [], moved: null });
  });

  it('ends between two messages when it is aborted, and goes on from there', async () => {
    await using talk = await openTalk();
    const controller = new AbortController();
    const list = listed(user('one'), assistant('two'), user('three'));
    const following = followMessageList(talk.session, list, { signal: controller.signal });
    controller.abort();
    await expect(following).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
    await followMessageList(talk.session, list);
    expect(pathOf(talk.session)).toEqual(linesOfList(list));
  });

  it.each([
    ['no list', 7],
    ['no message', [{ message: null }]],
    ['an unknown role', [{ message: { role: 'robot', content: 'x' } }]],
    ['parts that are none', [{ message: { role: 'user', content: ['x'] } }]],
    ['results that are a text', [{ message: { role: 'tool', content: 'x' } }]],
  ])('refuses %s', async (_what, list) => {
    await using talk = await openTalk();
    await expect(followMessageList(talk.session, list as never)).rejects.toMatchObject({
      code: 'VARVE_MESSAGE_INVALID',
    });
    expect(pathOf(talk.session)).toEqual([]);
  });

  it('refuses another conversation for a session that has nothing before its first message', async () => {
    await using talk = await openTalk();
    await talk.session.ingest(user('begun by hand'));
    await expect(followMessageList(talk.session, listed(user('other')))).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
    });
  });
});

describe('a list that its host has shortened', () => {
  const whole = listed(
    user('never delete the database'),
    calls('c1'),
    results({ c1: long }),
    assistant('one'),
    user('go on'),
    calls('c2'),
    results({ c2: long }),
    assistant('two'),
  );

  const shortened = {
    'has its front cut off': whole.slice(4),
    'has a summary for its front': [...listed(user('Summary: read c1.')), ...whole.slice(3)],
    'has calls and results taken out': whole.filter((_, index) => ![1, 2, 5, 6].includes(index)),
    'has results cleared': whole.map((one, index) => (index === 2 ? { message: results({ c1: '[cleared]' }) } : one)),
  };

  it.each(Object.entries(shortened))('does not shorten the journal when it %s', async (_what, list) => {
    await using talk = await openTalk();
    await followMessageList(talk.session, whole);
    const next = [...list, ...listed(user('and now?'))];
    const followed = await followMessageList(talk.session, next);
    expect(followed.moved).toBeNull();
    expect(pathOf(talk.session)).toEqual([...linesOfList(whole), 'user: and now?']);
    expect(await followMessageList(talk.session, next)).toMatchObject({ added: [], moved: null });
  });

  it.each(Object.entries(shortened))('is followed where the host wants it when it %s', async (_what, list) => {
    await using talk = await openTalk();
    await followMessageList(talk.session, whole);
    const next = [...list, ...listed(user('and now?'))];
    await followMessageList(talk.session, next, { onShorter: 'follow' });
    expect(pathOf(talk.session)).toEqual(linesOfList(next));
  });

  it('goes on where the end that is left is said again', async () => {
    await using talk = await openTalk();
    await followMessageList(talk.session, listed(user('hello'), assistant('hi'), user('yes')));
    const next = listed(user('yes'), user('yes'));
    await followMessageList(talk.session, next);
    expect(pathOf(talk.session)).toEqual(['user: hello', 'assistant: hi', 'user: yes', 'user: yes']);
    expect(await followMessageList(talk.session, next)).toMatchObject({ added: [], moved: null });
  });

  it.each([
    ['an earlier message says something else', 4, user('carry on')],
    ['an earlier result says more', 2, results({ c1: `${long} And one line more.` })],
  ])('is none where %s, and is followed', async (_what, at, message) => {
    await using talk = await openTalk();
    await followMessageList(talk.session, whole);
    const next = [...whole.map((one, index) => (index === at ? { message } : one)), ...listed(user('and now?'))];
    const { isShorter } = await followMessageList(talk.session, next);
    expect(isShorter).toBe(false);
    expect(pathOf(talk.session)).toEqual(linesOfList(next));
  });

  it('is none where it has but one message of what was said, and another end', async () => {
    await using talk = await openTalk();
    const said = listed(user('hello'), assistant('hi'), user('one'), assistant('ok'), user('two'), assistant('no'));
    await followMessageList(talk.session, said);
    const next = listed(user('hello'), assistant('hi'), assistant('ok'), user('three'));
    await followMessageList(talk.session, next);
    expect(pathOf(talk.session)).toEqual(linesOfList(next));
  });

  it.each<[string, Message[][]]>([
    [
      'results that nobody has answered are others',
      [
        [results({ c2: 'yes' }), calls('c1'), user('yes')],
        [results({ c2: 'no' }), results({ c1: 'yes' }), user('yes')],
      ],
    ],
    [
      'a result stood before its call',
      [
        [results({ c2: 'more' }), calls('c2'), assistant('yes')],
        [results({ c2: 'more' }), results({ c1: 'yes' })],
      ],
    ],
    [
      'it goes another way than what was left before',
      [[user('begin'), user('yes'), assistant('no')], [user('begin')], [user('begin'), assistant('no')]],
    ],
  ])('is none where %s', async (_what, lists) => {
    await using talk = await openTalk();
    for (const messages of lists) {
      const list = listed(...messages);
      await followMessageList(talk.session, list);
      expect(pathOf(talk.session)).toEqual(linesOfList(list));
      expect(await followMessageList(talk.session, list)).toMatchObject({ added: [], moved: null });
    }
  });

  it('loses its end where another answer stands at the end of what is left', async () => {
    await using talk = await openTalk();
    await followMessageList(talk.session, whole);
    const next = [...whole.slice(4, 7), ...listed(assistant('two, differently'))];
    const { isShorter } = await followMessageList(talk.session, next);
    expect(isShorter).toBe(true);
    expect(pathOf(talk.session)).toEqual([...linesOfList(whole).slice(0, -1), 'assistant: two, differently']);
  });
});
