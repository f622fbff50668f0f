import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindsOf, linesOf, messagesOf, recordsIn } from './in-file.ts';
import { openClaw, piTree } from './sample-conversations.ts';

const header = { type: 'session', version: 3, id: 's', cwd: '/w' };
const entry = (id: string, parentId: string | null | undefined, more: object = {}) => ({
  type: 'message',
  id,
  ...(parentId === undefined ? {} : { parentId }),
  message: { role: 'user', content: id },
  ...more,
});

async function idsOnPath(...values: readonly object[]): Promise<unknown[]> {
  const records = await recordsIn(linesOf(header, ...values));
  return messagesOf(records).map(({ message }) => (message.content[0] as { text: string }).text);
}

describe('a tree of pi', () => {
  it('is the way to its newest leaf, with what was left as unknown', async () => {
    const records = await recordsIn(piTree);
    expect(kindsOf(records)).toEqual([
      ...['setting', 'setting', 'user', 'assistant', 'tool', 'assistant'],
      ...['unknown off-path', 'unknown off-path', 'unknown off-path'],
      ...['unknown label', 'user', 'assistant', 'unknown session_info', 'user'],
      ...['unknown off-path', 'unknown off-path'],
      ...['unknown branch_summary', 'unknown label', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
      ...['compaction', 'user', 'assistant'],
    ]);
    expect(records.find(({ kind }) => kind === 'compaction')).toMatchObject({
      data: { format: 'pi', firstKeptEntryId: '4c919066', tokensBefore: 114 },
    });
    const messages = messagesOf(records);
    const said = messages.filter(({ message }) => message.role === 'user').map(({ message }) => message.content[0]);
    expect(said).toEqual([
      { type: 'text', text: 'Please list the folder.' },
      { type: 'text', text: 'Second question, put another way.' },
      { type: 'text', text: 'An extension notes this.' },
      { type: 'text', text: 'Third question, again, and list.' },
      { type: 'text', text: 'Fourth question.' },
      { type: 'text', text: 'Fifth question.' },
    ]);
    expect(messages[2]?.message.content).toMatchObject([
      { output: { type: 'error-text', value: 'Tool ls not found' } },
    ]);
  });

  it('keeps nothing of a branch that was left, not even its compactions and settings', async () => {
    const records = await recordsIn(
      linesOf(
        header,
        entry('a', null),
        { type: 'compaction', id: 'b', parentId: 'a', summary: 'In short', firstKeptEntryId: 'a' },
        { type: 'thinking_level_change', id: 'c', parentId: 'b', thinkingLevel: 'high' },
        entry('d', 'a'),
      ),
    );
    expect(kindsOf(records)).toEqual(['user', 'unknown off-path', 'unknown off-path', 'user']);
    expect(records[1]).toMatchObject({ line: 3, data: { type: 'compaction', summary: 'In short' } });
  });

  // what · entries · path
  it.each([
    ['a root of its own', [entry('a', null), entry('b', 'a'), entry('c', null)], ['c']],
    ['a parent that is missing', [entry('a', null), entry('b', 'x'), entry('c', 'b')], ['a', 'b', 'c']],
    ['a parent that comes later', [entry('a', null), entry('b', 'c'), entry('c', 'b')], ['a', 'b', 'c']],
    ['a cycle', [entry('a', 'b'), entry('b', 'a'), entry('c', 'a')], ['a', 'c']],
    ['itself', [entry('a', null), entry('b', 'b')], ['a', 'b']],
    ['no parent at all', [entry('a', null), entry('b', undefined)], ['a', 'b']],
    ['an id that stands twice', [entry('a', null), entry('b', 'a'), entry('b', 'a'), entry('c', 'b')], ['a', 'b', 'c']],
    ['a branch of a branch', [entry('a', null), entry('b', 'a'), entry('c', 'a'), entry('d', 'b')], ['a', 'b', 'd']],
  ])('may have entries that follow %s', async (_, entries, path) => {
    expect(await idsOnPath(...entries)).toEqual(path);
  });

  it('goes on over lines that are lost', async () => {
    const lines = linesOf(header, entry('a', null), entry('b', 'a'), entry('c', 'b'), entry('d', 'c')).split('\n');
    lines[2] = lines[2]?.slice(0, 20) ?? '';
    const records = await recordsIn(lines.join('\n'));
    expect(kindsOf(records)).toEqual(['user', 'damaged', 'user', 'user']);
  });

  it('is one line of entries before version 2, whatever ids they have', async () => {
    const old = { type: 'session', id: 's', cwd: '/w' };
    const records = await recordsIn(linesOf(old, entry('a', null), entry('b', 'a'), entry('c', 'a')));
    expect(kindsOf(records)).toEqual(['user', 'user', 'user']);
  });

  it('is the way from the last entry to the root, in any tree', async () => {
    const tree = fc.array(fc.nat(), { minLength: 1, maxLength: 30 }).map((draws) => {
      // A parent is an earlier entry, mostly the one before; 0 is the root.
      return draws.map((draw, index) => (draw % 3 === 0 ? draw % (index + 1) : index));
    });
    await fc.assert(
      fc.asyncProperty(tree, async (parents) => {
        const entries = parents.map((parent, index) => entry(`${index + 1}`, parent === 0 ? null : `${parent}`));
        const path: string[] = [];
        for (let id = parents.length; id > 0; id = parents[id - 1] ?? 0) path.unshift(`${id}`);
        expect(await idsOnPath(...entries)).toEqual(path);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a session of OpenClaw', () => {
  it('has the form of pi, with where messages came from', async () => {
    const records = await recordsIn(openClaw);
    expect(kindsOf(records)).toEqual([
      ...['setting', 'unknown custom', 'user', 'assistant', 'tool', 'assistant', 'unknown custom'],
      ...['user', 'user', 'user', 'assistant'],
    ]);
    const said = messagesOf(records).filter(({ message }) => message.role === 'user');
    expect(said.map(({ provenance }) => provenance)).toEqual([
      { kind: 'user', channel: 'telegram' },
      { kind: 'inter-session', sessionKey: 'agent:main:subagent:x', tool: 'sessions_send' },
      { kind: 'system-event' },
      { kind: 'plugin' },
    ]);
  });

  it('has answers that no model gave', async () => {
    const answers = messagesOf(await recordsIn(openClaw)).filter(({ message }) => message.role === 'assistant');
    expect(answers.map(({ call }) => call?.model)).toEqual(['claude-test', undefined, 'claude-test']);
    expect(answers[1]).toMatchObject({ provenance: { kind: 'system-event' } });
    expect(answers[1]).not.toHaveProperty('usage');
  });
});
