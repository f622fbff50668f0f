import { describe, expect, it } from 'vitest';
import { entriesOf, recordsOf, settle } from './stage.ts';
import { allHome, beginFamily, calls, endsTold, heldChild, next, parentKey, says } from './subagent-family.ts';
import { gate, plugin } from './talk.ts';

/** What lies in a store of a conversation and its sub-agents, as its users see it. */
async function tracesIn({ store, sessions }: Awaited<ReturnType<typeof beginFamily>>): Promise<unknown> {
  const open = (await recordsOf(store)).filter(({ state }) => state === 'open').map(({ key }) => key);
  const slot = await sessions.use(parentKey, async (session) => {
    let text: string | null = null;
    for await (const entry of session.read()) if (entry.type === 'state') text = entry.text;
    return text;
  });
  return {
    open,
    slot,
    children: await sessions.children(parentKey).then((all) => all.filter((child) => !child.isArchived)),
  };
}

const noTrace = { open: [parentKey], slot: null, children: [] };

describe('a sub-agent does not begin', () => {
  it.each([
    ['a blank task', { task: ' ' }],
    ['a mode that there is none of', { task: 'x', mode: 'twin' as never }],
    ['a time that is over before it begins', { task: 'x', timeoutMs: 0 }],
    ['an option that there is none of', { task: 'x', tsak: 'y' } as never],
  ])('with %s', async (_what, options) => {
    await using family = await beginFamily();
    await expect(family.sessions.spawn(parentKey, options)).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
  });

  it.each([
    ['agent', { task: 'x', agentId: 'other' }, {}],
    ['model', { task: 'x', model: 'test/none' }, {}],
    ['model', { task: 'x' }, { answers: false }],
    ['depth', { task: 'x' }, { subagents: { maxDepth: 0 } }],
    ['children', { task: 'x' }, { subagents: { maxChildren: 0 } }],
    ['running', { task: 'x' }, { subagents: { maxRunning: 0 } }],
  ])('for its %s: %j, %j', async (why, options, given) => {
    await using family = await beginFamily(given);
    await expect(family.sessions.spawn(parentKey, options)).rejects.toMatchObject({
      code: 'VARVE_SPAWN_REFUSED',
      details: { why },
    });
    expect(await tracesIn(family)).toEqual(noTrace);
  });

  it('for another agent but that is allowed', async () => {
    await using family = await beginFamily({ subagents: { allowAgents: ['other'] } });
    const { childKey } = await family.sessions.spawn(parentKey, { task: 'x', agentId: 'other' });
    expect(childKey).toMatch(/^agent:other:subagent:/);
    await expect(family.sessions.spawn(parentKey, { task: 'x', agentId: 'third' })).rejects.toThrow();
  });

  it('beyond the depth, and its model is told so and does the task itself', async () => {
    await using family = await beginFamily({
      subagents: { maxDepth: 1 },
      child: (_task, request) => {
        if (says(request, 'There is no tool')) return 'I did it myself.';
        return calls('sessions_spawn', { task: 'leaf' });
      },
    });
    const { ended } = await family.sessions.spawn(parentKey, { task: 'x' });
    expect((await ended).text).toBe('I did it myself.');
  });

  it('beyond the number of them, and the model is told so; when one has ended there is room again', async () => {
    const held = heldChild();
    const answers: string[] = [];
    await using family = await beginFamily({
      child: held.child,
      subagents: { maxChildren: 2 },
      parent: (request) => {
        if (!says(request, 'try')) return 'ok';
        const result = request.prompt.messages.findLast(({ role }) => role === 'tool');
        if (result === undefined) return calls('sessions_spawn', { task: 'c' });
        answers.push(JSON.stringify(result));
        return 'no room';
      },
    });
    const { sessions } = family;
    await Promise.all([sessions.spawn(parentKey, { task: 'a' }), sessions.spawn(parentKey, { task: 'b' })]);
    await family.say('try it');
    expect(answers).toEqual([
      expect.stringContaining('2 sub-agents are at work for this conversation, and no more may be.'),
    ]);
    expect(await sessions.children(parentKey)).toHaveLength(2);
    held.go();
    await allHome(sessions);
    await sessions.spawn(parentKey, { task: 'd' });
    await allHome(sessions);
    expect(await endsTold(family)).toHaveLength(3);
  });

  it('when its beginning fails, and leaves no trace; what was prepared for it is undone', async () => {
    const done: string[] = [];
    const refusing = plugin('acme/refusing', ({ hooks }) => {
      hooks.ingest.tapPromise('refuse', ({ message }) => {
        if (JSON.stringify(message).includes('You are a sub-agent')) throw new Error('not that');
        return undefined;
      });
    });
    const prepare = async ({ task }: { readonly task: string }) => {
      done.push(`prepared ${task}`);
      return { rollback: async () => void done.push('rolled back') };
    };
    await using family = await beginFamily({ plugins: [refusing], subagents: { prepare } });
    await expect(family.sessions.spawn(parentKey, { task: 'x', spawnId: 'one' })).rejects.toThrow('not that');
    expect(done).toEqual(['prepared x', 'rolled back']);
    expect(await tracesIn(family)).toEqual(noTrace);
    expect(await family.sessions.recover()).toEqual({
      delivered: [],
      resumed: [],
      interrupted: [],
      removed: [],
      waiting: [],
    });
  });

  it('when what prepares for it fails, or its signal is aborted before', async () => {
    const prepare = async () => {
      throw new Error('no room in the house');
    };
    await using family = await beginFamily({ subagents: { prepare } });
    await expect(family.sessions.spawn(parentKey, { task: 'x' })).rejects.toThrow('no room in the house');
    const signal = AbortSignal.abort();
    await expect(family.sessions.spawn(parentKey, { task: 'x', signal })).rejects.toMatchObject({
      code: 'VARVE_ABORTED',
    });
    expect(await tracesIn(family)).toEqual(noTrace);
  });

  it('with options of the sessions that are wrong', async () => {
    await expect(beginFamily({ subagents: { maxDepth: -1 } })).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
      details: { path: 'subagents.maxDepth' },
    });
  });
});

describe('two sub-agents of one spawnId', () => {
  it('are one, also when they are asked for at once, after its end, and after a restart', async () => {
    await using family = await beginFamily();
    const { sessions, store, clock } = family;
    const options = { task: 'x', spawnId: 'nightly' };
    const both = await Promise.all([sessions.spawn(parentKey, options), sessions.spawn(parentKey, options)]);
    await allHome(sessions);
    const later = await sessions.spawn(parentKey, options);
    await sessions.close();
    await family.host.close();
    await using again = await beginFamily({ store, clock });
    const restarted = await again.sessions.spawn(parentKey, options);
    const all = [...both, later, restarted];
    expect(new Set(all.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(new Set(await Promise.all(all.map(async ({ ended }) => (await ended).completionId))).size).toBe(1);
    expect(await endsTold(again)).toHaveLength(1);
  });

  it('are two for two parents', async () => {
    await using family = await beginFamily();
    const options = { task: 'x', spawnId: 'nightly' };
    const one = await family.sessions.spawn(parentKey, options);
    const other = await family.sessions.spawn('agent:main:direct:bob', options);
    expect(one.childKey).not.toBe(other.childKey);
  });
});

describe('a sub-agent ends', () => {
  it('when it is stopped, with what it said last, and its parent is told so', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    const { childKey, ended } = await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    expect(await family.sessions.stopChild(childKey)).toMatchObject({ status: 'stopped' });
    expect(await family.sessions.stopChild(childKey)).toEqual(await ended);
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
    expect(await family.sessions.stopChild('agent:main:subagent:nobody')).toBeNull();
  });

  it('when its time is over, although its model never answers', async () => {
    const asked = gate();
    await using family = await beginFamily({
      child: () => {
        asked.open();
        return new Promise<string>(() => undefined);
      },
    });
    const { ended } = await family.sessions.spawn(parentKey, { task: 'x', timeoutMs: 60_000 });
    await asked.opened;
    family.clock.advance(59_999);
    await settle();
    expect(await endsTold(family)).toHaveLength(0);
    family.clock.advance(1);
    expect(await ended).toMatchObject({ status: 'timeout' });
    await allHome(family.sessions);
    expect(await endsTold(family)).toHaveLength(1);
  });

  it('when its signal is aborted', async () => {
    const [held, controller] = [heldChild(), new AbortController()];
    await using family = await beginFamily({ child: held.child });
    const { ended } = await family.sessions.spawn(parentKey, { task: 'x', signal: controller.signal });
    await held.asked;
    controller.abort();
    expect(await ended).toMatchObject({ status: 'stopped' });
  });

  it('with its parent, when that is aborted, and with it those that work for it; nobody is asked to answer them', async () => {
    const held = heldChild();
    await using family = await beginFamily({
      subagents: { maxDepth: 2 },
      child: (task, request, signal) => {
        if (task === 'leaf') return held.child(task, request, signal);
        return says(request, 'accepted') ? 'I wait.' : calls('sessions_spawn', { task: 'leaf' });
      },
    });
    const { childKey, ended } = await family.sessions.spawn(parentKey, { task: 'tree' });
    await held.asked;
    expect(family.sessions.abort(parentKey)).toBe(true);
    expect(await ended).toMatchObject({ status: 'stopped' });
    await allHome(family.sessions);
    await allHome(family.sessions, childKey);
    const [leaf] = await family.sessions.children(childKey);
    expect(leaf?.end).toMatchObject({ status: 'stopped' });
    expect(await endsTold(family)).toHaveLength(1);
    expect(family.words).toEqual([]);
  });

  it('and is archived with cleanup "delete", after its parent has been told', async () => {
    await using family = await beginFamily();
    const archived = next(family, 'session-archived');
    const { childKey, sessionId } = await family.sessions.spawn(parentKey, { task: 'x', cleanup: 'delete' });
    expect(await archived).toMatchObject({ sessionId, reason: 'subagent-done' });
    expect(await endsTold(family)).toHaveLength(1);
    expect(await family.sessions.current(childKey)).toBeNull();
    expect((await entriesOf(family.store, sessionId)).at(-1)).toMatchObject({ type: 'sessions:delivered' });
  });
});

describe('a parent with sub-agents at work', () => {
  it('is not archived, but with those stopped and their ends taken in', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    const { childKey } = await family.sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    await expect(family.sessions.archive(parentKey)).rejects.toMatchObject({
      code: 'VARVE_CHILDREN_RUNNING',
      details: { children: [childKey] },
    });
    const { sessionId } = await family.sessions.archive(parentKey, { cascade: true });
    expect(await family.sessions.current(parentKey)).toBeNull();
    const entries = await entriesOf(family.store, sessionId ?? '');
    expect(entries.filter((entry) => entry.type === 'message' && entry.provenance.kind === 'subagent')).toHaveLength(1);
  });
});
