import type { Message, Prompt, ToolOutput } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { chars, done, lookBack, resultsOf, talk, tool, user } from './talk.ts';

const second = 1_000;
const minute = 60 * second;
const isWhole = (text: string): boolean => text.length === 8_000;

/** One turn a minute, each with a result of 8 000 characters: the cache never expires. */
async function fiftyTurns(contextTokens: number): Promise<readonly Prompt[]> {
  const { say, ask, wait } = await talk({ budget: { contextTokens } });
  const prompts: Prompt[] = [];
  for (let turn = 0; turn < 50; turn += 1) {
    await say(user(`Question ${turn}`), ...tool(chars(8_000, `line ${turn} `)));
    prompts.push(await ask());
    await say(done());
    wait(minute);
  }
  return prompts;
}

describe('a session that is never idle', () => {
  it('is not pruned while there is room: its cache is alive', async () => {
    const prompts = await fiftyTurns(1_000_000);
    expect(prompts.flatMap(resultsOf).every(isWhole)).toBe(true);
    expect(prompts.every((prompt) => prompt.manifest.actions.length === 0)).toBe(true);
  });

  it('has its old results pruned once it is over the hard limit, instead of whole turns dropped', async () => {
    const prompts = await fiftyTurns(64_000);
    const last = prompts.at(-1) as Prompt;
    expect(resultsOf(last)).toHaveLength(50);
    expect(resultsOf(last).slice(-2).every(isWhole)).toBe(true);
    expect(resultsOf(last).slice(0, 10).some(isWhole)).toBe(false);
    expect(last.messages.filter((message) => message.role === 'user')).toHaveLength(50);
    const pruned = prompts.filter((prompt) => prompt.manifest.actions.length > 0);
    expect(pruned.length).toBeGreaterThan(0);
    expect(pruned.length, 'requests that changed what was cached').toBeLessThan(8);
  });
});

describe('the request after a pruned one', () => {
  it('repeats it byte for byte, with the plugin or without', async () => {
    const { session, say, ask, wait } = await talk();
    await say(user(), ...Array.from({ length: 8 }, () => tool(chars(10_000))).flat(), done(), user('Next?'));
    const first = await ask();
    wait(6 * minute);
    const pruned = await ask();
    expect(pruned.manifest.firstChangedByte).not.toBeNull();
    expect(pruned.tokens).toBeLessThan(first.tokens);
    wait(10 * second);
    await say(done('It says x.'), user('And then?'));
    const later = await ask();
    expect(later.messages.slice(0, pruned.messages.length)).toEqual(pruned.messages);
    expect(later.manifest).toMatchObject({ firstChangedByte: null, actions: [] });
    expect(session.health().ok).toBe(true);
  });

  it('records the edits once, and none in a dry run', async () => {
    const { session, say, wait, ask } = await talk();
    await say(user(), ...Array.from({ length: 8 }, () => tool(chars(10_000))).flat(), done(), user('Next?'));
    await ask();
    wait(6 * minute);
    const model = { provider: 'test', model: 'test-1' };
    const dry = await session.assemble({ model, dryRun: true });
    expect((await ask()).messages).toEqual(dry.messages);
    wait(6 * minute);
    expect((await ask()).messages).toEqual(dry.messages);
    const edits = [];
    for await (const entry of session.read()) if (entry.type === 'edit') edits.push(entry);
    expect(edits).toMatchObject([{ by: 'ttl-pruning' }]);
    expect(edits[0]?.edits.map(({ rule, part }) => [rule, part])).toEqual(
      Array.from({ length: 6 }, () => ['soft-trim', 0]),
    );
  });
});

describe('a result with an image', () => {
  const image = { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' } as const;
  const output: ToolOutput = { type: 'content', value: [{ type: 'text', text: '10 letters' }, image] };

  async function resultWithImage(images: 'keep' | 'replace', value = output): Promise<Message | undefined> {
    const pruning = { images, hardClear: { enabled: false } };
    const { say, ask, wait } = await talk({ pruning });
    await say(user(), ...tool(value), ...Array.from({ length: 6 }, () => tool(chars(9_000))).flat(), done());
    await ask();
    wait(6 * minute);
    await say(user());
    const prompt = await ask();
    expect(
      resultsOf(prompt)
        .slice(1, 3)
        .every((text) => text.length < 4_000),
      'others are trimmed',
    ).toBe(true);
    return prompt.messages[2];
  }

  it('stays whole by default', async () => {
    expect(await resultWithImage('keep')).toMatchObject({ content: [{ output }] });
  });

  it('stays whole by default however long its text is', async () => {
    const long: ToolOutput = { type: 'content', value: [{ type: 'text', text: chars(9_000) }, image] };
    expect(await resultWithImage('keep', long)).toMatchObject({ content: [{ output: long }] });
  });

  it('keeps its text and names the image when images are replaced', async () => {
    const value = '10 letters\n[image left out; it is in #3]';
    expect(await resultWithImage('replace')).toMatchObject({ content: [{ output: { type: 'text', value } }] });
  });

  it('counts as 8 000 characters', async () => {
    const results = async (count: number): Promise<readonly string[]> => {
      const { say, ask, wait } = await talk({ budget: { contextTokens: 10_000, inputTokens: null } });
      const images: ToolOutput = { type: 'content', value: Array.from({ length: count }, () => image) };
      await say(user(), ...tool(chars(4_001)), ...tool(images), done(), done(), done());
      await ask();
      wait(6 * minute);
      await say(user());
      return resultsOf(await ask());
    };
    expect((await results(0))[0]).toHaveLength(4_001);
    expect((await results(1))[0]?.length).toBeLessThan(4_000);
  });
});

describe('what was fetched back', () => {
  // Columns: mode · why results are pruned.
  it.each([
    ['cache-ttl', 'idle'],
    ['cache-ttl', 'full'],
    ['auto', 'idle'],
    ['auto', 'full'],
  ] as const)('T-27: is not pruned in mode %s when the session is %s', async (mode, why) => {
    const inputTokens = why === 'full' ? 22_000 : null;
    const { say, ask, wait } = await talk({
      pruning: { mode, minPrunableToolChars: 0 },
      budget: { contextTokens: 60_000, inputTokens },
    });
    const pairs = [1, 2, 3, 4, 1].map((path) => [
      ...tool(chars(9_000, `file ${path} `), 'read', { path }),
      ...lookBack(chars(9_000, `back ${path} `), { path }),
    ]);
    await say(user(), ...pairs.flat(), done(), done(), done(), user());
    if (why === 'idle') {
      await ask();
      wait(6 * minute);
    }
    const results = resultsOf(await ask());
    expect(results.filter((text) => text.startsWith('back ') && text.length === 9_000)).toHaveLength(5);
    expect(results.filter((text) => text.startsWith('file ') && text.length === 9_000).length).toBeLessThan(5);
  });
});

describe('tool filters', () => {
  // Columns: allow · deny · the tools of ten that are pruned.
  const names = ['read', 'Read_File', 'bash', 'mcp__files__read', 'web.fetch', 'a+b', 'r', 'búsqueda', '読む', '🔧x'];
  it.each<[allow: string[], deny: string[], pruned: string[]]>([
    [[], [], names],
    [['read'], [], ['read']],
    [['READ*'], [], ['read', 'Read_File']],
    [['*read*'], ['read_file'], ['read', 'mcp__files__read']],
    [[], ['*'], []],
    [['*'], ['*a*'], ['web.fetch', 'r', '読む', '🔧x']],
    [['?'], [], ['r']],
    [['????'], [], ['read', 'bash']],
    [['web.fetch', 'webXfetch'], [], ['web.fetch']],
    [['a+b', 'a.b'], [], ['a+b']],
    [['B?SQUEDA', '読?', '?x'], [], ['búsqueda', '読む', '🔧x']],
    [['**read**'], [], ['read', 'Read_File', 'mcp__files__read']],
    [['*read'], [], ['read', 'mcp__files__read']],
    [['read?*'], [], ['Read_File']],
    [[' read '], [], ['read']],
    [['[r]ead', '(read)', 'rea[d', '^read$'], [], []],
  ])('allow %j and deny %j prune %j', async (allow, deny, pruned) => {
    const { say, ask, wait } = await talk({ pruning: { tools: { allow, deny } } });
    await say(user(), ...names.flatMap((name) => tool(chars(9_000), name)), done(), done(), done(), user());
    await ask();
    wait(6 * minute);
    const results = resultsOf(await ask());
    expect(names.filter((_, index) => results[index] !== chars(9_000))).toEqual(pruned);
  });

  it('are not slowed down by a glob of many stars', async () => {
    const allow = [`${'*a'.repeat(200)}*b`];
    const { say, ask, wait } = await talk({ pruning: { tools: { allow } } });
    await say(user(), ...tool(chars(90_000), 'a'.repeat(5_000)), done(), done(), done(), user());
    await ask();
    wait(6 * minute);
    expect(resultsOf(await ask())).toEqual([chars(90_000)]);
  });
});
