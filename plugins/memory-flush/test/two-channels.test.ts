import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { fillTo, flushHost, noteWriter, said, talker, workspace } from './flush-host.ts';

const model = talker.ref;
const group = 'agent:main:discord:group:team_456';
const otherDirect = 'agent:main:discord:direct:987';

/** Words that stand nowhere but in the direct chat, and in what was saved of it for itself. */
const secrets = ['salary', '4711', 'dentist', '90,000', 'Monday'] as const;

async function use(session: Session, name: string, input: unknown): Promise<string> {
  const tool = session.tools().find((one) => one.name === name);
  const output = await tool?.execute(input as never, { toolCallId: 'call-1' });
  return JSON.stringify(output);
}

/** Everything that a session can get to see: its prompt, and what each tool gives. */
async function reachable(session: Session): Promise<string> {
  await session.ingest(said('What do we know?'));
  const { system, messages } = await session.assemble({ model });
  // No answer repeats what it was asked for.
  const queries = [
    'api',
    'conclusion REST',
    'what she earns, whom she sees',
    'salary',
    'dentist',
    '4711',
    '2026-03-02',
    'user_123',
  ];
  const found = await Promise.all(queries.map((query) => use(session, 'memory_search', { query, limit: 20 })));
  const paths = ['MEMORY.md', 'memory/2026-03-02.md', 'memory/../MEMORY.md', '../memory/2026-03-02.md', 'memory'];
  const got = await Promise.all(paths.map((path) => use(session, 'memory_get', { path })));
  return [JSON.stringify(system), JSON.stringify(messages), ...found, ...got].join('\n');
}

/** A week in a direct chat: a conclusion is saved on purpose, the rest is flushed, and a file is written. */
async function afterTheDirectChat(shareWithGroups: boolean) {
  const dir = workspace();
  const writer = noteWriter(() => '- [#1] The salary is 90,000.\n- [#1] The code of the door is 4711.');
  const hosting = await flushHost(dir, { model: writer, shareWithGroups });
  const session = await hosting.open('direct', { identity: 'ada', chatType: 'direct' });
  await session.ingest(said('My salary is 90,000, the door code 4711, and on Monday I see the dentist.'));
  await use(session, 'memory_save', {
    text: 'Conclusion: the API is REST, with versions in the path.',
    scope: 'agent',
  });
  await use(session, 'memory_save', { text: 'Ada sees the dentist on Monday.', scope: 'private' });
  writeFileSync(join(dir, 'api-design-draft.md'), '# API\n\nDraft 1.');
  await fillTo(session, 'soft');
  expect((await session.compact('manual', { model })).status).toBe('compacted');
  return { dir, hosting };
}

describe('what was said in a direct chat', () => {
  it.each([true, false])(
    'reaches a group only as the conclusion that was saved for it; shareWithGroups: %s',
    async (shares) => {
      const { dir, hosting } = await afterTheDirectChat(shares);
      const session = await hosting.open('group', { key: group, identity: 'ada' });
      const all = await reachable(session);
      expect(all.includes('the API is REST')).toBe(shares);
      expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
      expect(all).not.toContain('agent:main:telegram');
      expect(existsSync(join(dir, 'api-design-draft.md'))).toBe(true);
    },
  );

  it("is found from the same person's other direct chat, and from the next generation of the same one", async () => {
    const { hosting } = await afterTheDirectChat(false);
    for (const [id, options] of [
      ['other', { key: otherDirect, identity: 'ada' }],
      ['again', {}],
    ] as const) {
      const all = await reachable(await hosting.open(id, options));
      for (const text of ['the API is REST', 'The salary is 90,000.', 'dentist on Monday', '4711']) {
        expect(all).toContain(text);
      }
    }
  });

  it("is not found from another person's direct chat, but for what is for all", async () => {
    const { hosting } = await afterTheDirectChat(true);
    const all = await reachable(await hosting.open('bob', { key: 'agent:main:discord:direct:bob', identity: 'bob' }));
    expect(all).toContain('the API is REST');
    for (const text of ['90,000', 'The code of the door', 'dentist on Monday']) expect(all).not.toContain(text);
  });
});
