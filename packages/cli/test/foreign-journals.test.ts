import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { deeplyNested, foreignJournal, request, userMessage } from './foreign-journal.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Sets colours, clears the screen in one character, turns the direction of writing, and breaks the line. */
const hostile = 'x\u001B[31m\u009B2J\u202Egnp.exe\u2066\u0007\u{E0041}\r\nnext';
const obeyed = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

describe('a journal that somebody else wrote', () => {
  const root = join(folder.path, 'hostile');
  const changes = [
    { seq: 1, verdict: 'cleared', rule: hostile, by: hostile },
    { seq: 2, verdict: hostile },
  ];
  const layers = [{ id: hostile, place: 'summary', tokens: 5, sources: [] }];
  foreignJournal(root, {
    sessionId: hostile,
    header: { key: hostile, agentId: 'main' },
    entries: [
      { ...userMessage(hostile), key: hostile },
      userMessage('two'),
      request({ model: hostile }),
      request({ model: hostile, changes, layers }),
      { type: 'setting', name: hostile, value: hostile },
      { type: 'core:compaction-breaker', data: { failures: 3, lowYields: 0, lastSeq: 5, why: hostile } },
      { type: hostile, data: null },
    ],
  });
  const commands: readonly (readonly string[])[] = [
    ['explain', '--root', root, '--session', hostile],
    ['explain', '--root', root, '--session', hostile, '--all'],
    ['explain', '--root', root, '--session', hostile, '--entry', '1'],
    ['explain', '--root', root, '--session', hostile, '--diff', '1,2'],
    ['explain', '--root', root],
    ['explain', '--root', root, '--session', 'nowhere'],
    ['sessions', 'list', '--root', root],
    ['sessions', 'show', hostile, '--root', root],
    ['sessions', 'show', 'nowhere', '--root', root],
    ['doctor', '--root', root],
    ['replay', hostile],
    [hostile],
  ];

  it.each(commands.map((argv) => ({ argv })))(
    'puts nothing on the terminal that the terminal obeys: %#',
    async ({ argv }) => {
      for (const more of [[], ['--json']]) {
        const { out, err } = await run([...argv, ...more], { columns: 120 });
        expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(obeyed);
        expect(out + err).toContain('next');
      }
    },
  );

  it('is the same in JSON, for whoever parses it', async () => {
    const { out } = await run(['explain', '--root', root, '--session', hostile, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      session: hostile,
      model: hostile,
      layers: [{ id: hostile }],
      malformed: 1,
    });
  });

  // what is wrong · the entry
  it.each<[what: string, entry: object]>([
    ['a change of more entries than there are', request({ changes: [{ seq: 1, toSeq: 9e15, verdict: 'dropped' }] })],
    ['a change of later entries', request({ changes: [{ seq: 1, toSeq: 7, verdict: 'dropped' }] })],
    [
      'many changes of the same entries',
      request({ changes: Array.from({ length: 100 }, () => ({ seq: 1, toSeq: 2, verdict: 'dropped' })) }),
    ],
    ['changes that are no list', request({ changes: { length: 1e9 } })],
    ['changes without a place', request({ changes: [{ verdict: 'dropped' }, null] })],
    ['a request without its fields', { type: 'request' }],
    ['a request with layers of any kind', request({ layers: [null] })],
    ['a request that is nested deeply', request({ by: deeplyNested })],
    ['a message without a message', { type: 'message' }],
    ['a message of nobody', { ...userMessage('x'), message: { role: {}, content: 7 } }],
    ['a message without its size', { ...userMessage('x'), tokens: null }],
    ['an entry without a type', { type: null }],
    ['an entry of an unknown type', { type: 'toString' }],
    ['an entry without a time', { ...userMessage('x'), at: 'noon' }],
    ['a compaction without a range', { type: 'compaction' }],
  ])('neither breaks nor hangs what reads it: %s', async (what, entry) => {
    const sessionId = what.replaceAll(' ', '-');
    const own = join(folder.path, 'malformed');
    foreignJournal(own, { sessionId, entries: [userMessage('one'), entry, userMessage('two'), request()] });
    const explained = await run(['explain', sessionId, '--root', own, '--json']);
    expect({ code: explained.code, err: explained.err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(explained.out)).toMatchObject({
      request: 1,
      entries: [{ seq: 1 }, { seq: 3 }],
      malformed: 1,
    });
    const told = await run(['explain', sessionId, '--root', own]);
    expect(told.out).toContain('1 line of the journal: no entries that Varve writes');
    const shown = await run(['sessions', 'show', sessionId, '--root', own, '--json']);
    expect(JSON.parse(shown.out).health).toMatchObject({ ok: false, malformed: 1 });
    const { code, out } = await run(['doctor', '--root', own, '--json']);
    expect(code).toBe(1);
    const findings: readonly object[] = JSON.parse(out).findings;
    expect(findings).toContainEqual(expect.objectContaining({ level: 'error', code: 'entry-malformed', sessionId }));
  });
});
