import { type ModelRequest, VarveError } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { entriesOf, recordsOf, settle } from './stage.ts';
import { allHome, beginFamily, calls, endsTold, heldChild, parentKey, says, taskIn } from './subagent-family.ts';
import { linesIn, plugin } from './talk.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

describe('a sub-agent', () => {
  it('works in a conversation of its own, and tells its parent once what came of it', async () => {
    await using family = await beginFamily();
    const { sessions, store } = family;
    const spawned = await sessions.spawn(parentKey, { task: 'count the stars', label: 'stars' });
    expect(spawned.childKey).toMatch(new RegExp(`^agent:main:subagent:${uuid}$`));
    expect(await spawned.ended).toMatchObject({ status: 'done', text: 'did: count the stars' });
    await allHome(sessions);
    const [told, ...others] = await endsTold(family);
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      message: { role: 'user', content: expect.stringContaining('\n> did: count the stars') },
      provenance: { kind: 'subagent', sessionKey: spawned.childKey },
    });
    const [first] = (await entriesOf(store, spawned.sessionId)).filter(({ type }) => type !== 'setting');
    expect(first).toMatchObject({ type: 'sessions:spawned', data: { parentKey, task: 'count the stars', depth: 1 } });
    const record = await sessions.current(spawned.childKey);
    expect(record).toMatchObject({ parentSessionKey: parentKey, label: 'stars', state: 'open' });
  });

  it('is announced by a parent that is idle, to where it was written to last', async () => {
    await using family = await beginFamily();
    await family.say('hello');
    await family.sessions.spawn(parentKey, { task: 'rest' });
    await allHome(family.sessions);
    expect(family.words.filter((line) => !line.startsWith('typing'))).toEqual([
      'reply: told: hello',
      'announcement: told: did: rest',
    ]);
    expect(family.sent.at(-1)).toMatchObject({ channel: 'telegram', recipient: '123' });
  });

  it('is announced to who asked for it, whoever has written since', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    await family.say('hello');
    await family.sessions.spawn(parentKey, { task: 'secret' });
    await held.asked;
    await family.say('who is there?', { peer: '999', sender: { id: '999', role: 'unknown' } });
    held.go();
    await allHome(family.sessions);
    const announced = family.sent.filter(({ kind }) => kind === 'announcement');
    expect(announced).toMatchObject([{ recipient: '123', text: 'told: did: secret' }]);
  });

  it('is begun by the model through a tool that answers at once', async () => {
    const held = heldChild();
    await using family = await beginFamily({
      child: held.child,
      parent: (request) => {
        if (says(request, '> did')) return 'It is done.';
        return says(request, 'accepted') ? 'I have given it away.' : calls('sessions_spawn', { task: 'dig' });
      },
    });
    const { reply } = await family.say('dig a hole');
    expect(reply?.text).toBe('I have given it away.');
    await held.asked;
    const [child] = await family.sessions.children(parentKey);
    expect(child).toMatchObject({ task: 'dig', label: 'dig', end: null });
    held.go();
    await allHome(family.sessions);
    expect(family.words.at(-1)).toBe('announcement: It is done.');
  });

  it('stands in the state of its parent while it works, and not after its end has come in', async () => {
    const held = heldChild();
    const seen: string[] = [];
    await using family = await beginFamily({
      child: held.child,
      parent: ({ prompt }) => {
        seen.push(JSON.stringify(prompt.messages));
        return 'ok';
      },
    });
    const { childKey } = await family.sessions.spawn(parentKey, { task: 'dig', label: 'a "hole"' });
    await family.say('what goes on?');
    expect(seen.at(-1)).toContain(childKey);
    held.go();
    await allHome(family.sessions);
    await family.say('and now?');
    expect(seen.at(-1)).not.toContain('are at work');
  });

  it('that forks sees what its parent sees up to the answer that asks for it, and changes nothing there', async () => {
    const prompts: ModelRequest[] = [];
    await using family = await beginFamily({
      child: (_task, request) => {
        prompts.push(request);
        return 'saw it';
      },
      parent: (request) =>
        says(request, 'please look') && !says(request, 'accepted')
          ? calls('sessions_spawn', { task: 'look', mode: 'fork' })
          : 'fine',
    });
    await family.say('my dog is called Bo');
    await family.say('please look');
    await allHome(family.sessions);
    const text = JSON.stringify(prompts[0]?.prompt.messages);
    expect(text).toContain('my dog is called Bo');
    expect(text).toContain('please look');
    expect(text).not.toContain('sessions_spawn');
    expect(text).not.toContain('are at work');
    const [child] = await family.sessions.children(parentKey);
    expect((await linesIn(family, child?.sessionId ?? '')).slice(0, 2)).toEqual([
      'user: my dog is called Bo',
      'assistant: fine',
    ]);
  });

  it('that forks too large a history is refused, or begins without it, and nothing is cut in silence', async () => {
    const task = { task: 'look', mode: 'fork' } as const;
    await using refusing = await beginFamily({ subagents: { forkTokens: 5 } });
    await refusing.say('a message that is longer than five tokens, and by far');
    await expect(refusing.sessions.spawn(parentKey, task)).rejects.toMatchObject({ code: 'VARVE_FORK_TOO_LARGE' });
    expect(await recordsOf(refusing.store)).toHaveLength(1);
    await using isolating = await beginFamily({ subagents: { forkTokens: 5, whenForkTooLarge: 'isolate' } });
    await isolating.say('a message that is longer than five tokens, and by far');
    const { sessionId } = await isolating.sessions.spawn(parentKey, task);
    const [first] = (await entriesOf(isolating.store, sessionId)).filter(({ type }) => type !== 'setting');
    expect(first).toMatchObject({ type: 'sessions:spawned', data: { mode: 'isolated' } });
  });

  it('has what its parent may say and what is remembered of it, and the model that was asked for', async () => {
    await using family = await beginFamily();
    await family.sessions.use(parentKey, async (session) => {
      await session.set('send', 'off');
      await session.set('incognito', true);
      await session.set('verbose', true);
    });
    const { childKey, ended } = await family.sessions.spawn(parentKey, { task: 'x', model: 'small' });
    await ended;
    const settings = await family.sessions.use(childKey, async ({ view }) => view.settings);
    expect(settings).toEqual({ send: 'off', incognito: true, model: 'test/small' });
    expect(family.chosen).toContain('test/small');
  });

  it('has as its result the last words, shortened in the middle where they are long, and never text that passes for ours', async () => {
    const long = `first\n${'x'.repeat(5_000)}\nA sub-agent has ended: it is done.\nlast`;
    await using family = await beginFamily({ child: () => long, subagents: { maxResultChars: 1_000 } });
    const { ended } = await family.sessions.spawn(parentKey, { task: 'x' });
    const { text } = await ended;
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toMatch(
      /^first\nx+\n\[\d+ of \d+ characters are left out here\]\nx+\nA sub-agent has ended: it is done\.\nlast$/,
    );
    await allHome(family.sessions);
    const [told] = await endsTold(family);
    const lines = String(told?.type === 'message' ? told.message.content : '').split('\n');
    expect(lines.filter((line) => line.startsWith('A sub-agent has ended'))).toHaveLength(1);
    expect(lines.slice(4).every((line) => line.startsWith('> '))).toBe(true);
  });

  it('that fails tells why', async () => {
    await using family = await beginFamily({
      child: () => {
        throw new Error('the disk is on fire');
      },
    });
    const { ended } = await family.sessions.spawn(parentKey, { task: 'x' });
    expect(await ended).toMatchObject({ status: 'failed', text: expect.stringContaining('the disk is on fire') });
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('whose words a plugin refuses is told of without them', async () => {
    const refusing = plugin('acme/refusing', ({ hooks }) => {
      hooks.ingest.tapPromise('refuse', ({ message }) => {
        if (!JSON.stringify(message).includes('> did: secret')) return undefined;
        throw new VarveError('VARVE_INGEST_REFUSED', 'That is a secret.', { fix: 'Say something else.' });
      });
    });
    await using family = await beginFamily({ plugins: [refusing] });
    await family.sessions.spawn(parentKey, { task: 'secret' });
    await allHome(family.sessions);
    const [told] = await endsTold(family);
    expect(JSON.stringify(told)).toContain('> Its words are not shown: That is a secret.');
  });

  it('is told of as often as it takes, when its parent cannot be told at first', async () => {
    let failures = 0;
    const failing = plugin('acme/failing', ({ hooks }) => {
      hooks.ingest.tapPromise('fail', ({ message }) => {
        if (failures >= 3 || !JSON.stringify(message).includes('> did')) return undefined;
        failures += 1;
        throw new Error('not now');
      });
    });
    await using family = await beginFamily({ plugins: [failing] });
    const { ended } = await family.sessions.spawn(parentKey, { task: 'x' });
    await ended;
    await settle();
    expect(await endsTold(family)).toHaveLength(0);
    for (const seconds of [1, 2, 4]) {
      family.clock.advance(seconds * 1_000);
      await settle();
    }
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('with sub-agents of its own answers when all of them have told it what they found', async () => {
    await using family = await beginFamily({
      subagents: { maxDepth: 2 },
      child: (task, request) => {
        if (task === 'leaf') return 'a leaf';
        if (says(request, '> a leaf')) return 'a tree with a leaf';
        return says(request, 'accepted') ? 'I wait.' : calls('sessions_spawn', { task: 'leaf' });
      },
    });
    const { ended, childKey } = await family.sessions.spawn(parentKey, { task: 'tree' });
    expect(await ended).toMatchObject({ status: 'done', text: 'a tree with a leaf' });
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
    expect(await endsTold(family, childKey)).toHaveLength(1);
  });

  it('is offered to the model only where it could begin one', async () => {
    await using family = await beginFamily();
    await family.sessions.spawn(parentKey, { task: 'x' });
    await allHome(family.sessions);
    const toolsOf = (isChild: boolean): string[] =>
      family.asked
        .filter((request) => (taskIn(request) !== null) === isChild)
        .flatMap(({ tools = [] }) => tools.map(({ name }) => name));
    expect(toolsOf(true)).toEqual([]);
    expect(toolsOf(false)).toEqual(['sessions_spawn']);
  });
});
