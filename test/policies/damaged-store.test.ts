import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { sendPolicy } from '@varve/plugin-send-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginProcess, type PolicyHost } from './policy-host.ts';

const key = 'agent:main:main';
const plugins = [resetPolicy({ mode: 'none', greeting: null }), sendPolicy()];

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'varve-damage-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const indexFile = (): string => join(root, 'agents/main/sessions.jsonl');

/** A conversation of two generations, which is switched off, and one more with somebody else. */
async function beginConversations(): Promise<readonly string[]> {
  await using process = await beginProcess({ root, plugins });
  const { sessionId: first } = await process.say('The first time.');
  await process.say('/send off');
  process.clock.advance(1_000);
  await process.say('/new');
  const { sessionId: second } = await process.say('The second time.');
  const room = { chatType: 'group', peer: '-7', sender: { id: '9', role: 'member' } } as const;
  const { sessionId: group } = await process.say('In the room.', room);
  return [first, second, group];
}

async function textsOf({ host }: PolicyHost, sessionId: string): Promise<string[]> {
  await using session = await host.open(sessionId, { readOnly: true });
  const texts: string[] = [];
  for await (const entry of session.read()) {
    if (entry.type === 'message') texts.push(String(entry.message.content));
  }
  return texts;
}

describe('a store whose index is damaged', () => {
  it.each<[string, () => void]>([
    ['empty', () => truncateSync(indexFile(), 0)],
    ['cut in half', () => truncateSync(indexFile(), Math.floor(readFileSync(indexFile()).length / 2))],
    ['no text', () => writeFileSync(indexFile(), Buffer.from([0xff, 0x00, 0xfe]))],
    ['away', () => rmSync(indexFile())],
  ])('R-13: loses no conversation, and the next message goes on where it was: %s', async (_, damage) => {
    const [first = '', second = '', group = ''] = await beginConversations();
    damage();
    await using process = await beginProcess({ root, plugins });
    const received = await process.say('And now?');
    expect(received).toMatchObject({
      sessionId: second,
      status: 'answered',
      reply: null,
      decision: { rule: 'override' },
    });
    expect(await textsOf(process, first)).toEqual(['The first time.', 'Yes.']);
    expect(await textsOf(process, second)).toEqual(['The second time.', 'Yes.', 'And now?', 'Yes.']);
    expect(await textsOf(process, group)).toEqual(['In the room.', 'Yes.']);
    const known = await process.sessions.generations(key);
    expect(new Set(known.map(({ sessionId }) => sessionId))).toEqual(new Set([first, second]));
  });

  it('R-14: goes on behind a line of a journal that is damaged, with all others in place', async () => {
    const [, second = ''] = await beginConversations();
    const file = join(root, 'agents/main/sessions', `${second}.jsonl`);
    expect(readdirSync(join(root, 'agents/main/sessions'))).toContain(`${second}.jsonl`);
    const lines = readFileSync(file, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('The second time.'));
    writeFileSync(file, lines.map((line, index) => (index === at ? line.slice(0, 30) : line)).join('\n'));
    await using process = await beginProcess({ root, plugins });
    const received = await process.say('And now?');
    expect(received).toMatchObject({ sessionId: second, status: 'answered' });
    expect((await textsOf(process, second)).filter((text) => text === 'And now?')).toEqual(['And now?']);
    expect(await textsOf(process, second)).toContain('Yes.');
  });
});

describe('a clock that jumps', () => {
  it('R-32: back begins no conversation anew, and the one that goes on stays the one', async () => {
    await using process = await beginProcess({
      root,
      plugins: [resetPolicy({ mode: 'daily', atHour: 4, timeZone: 'UTC', idleMinutes: 60 })],
    });
    const before = await process.say('One');
    await process.say('/new');
    const after = await process.say('Two');
    for (const back of [3_600_000, 86_400_000, 30 * 86_400_000]) {
      process.clock.advance(-back);
      expect(await process.say('Three')).toMatchObject({ reset: null, sessionId: after.sessionId });
    }
    process.clock.advance(-86_400_000);
    const anew = await process.say('/new');
    expect(anew).toMatchObject({ status: 'reset', reset: { previousSessionId: after.sessionId } });
    expect((await process.say('Four')).sessionId).toBe(anew.sessionId);
    expect(before.sessionId).not.toBe(anew.sessionId);
    process.clock.advance(34 * 86_400_000);
    const later = await process.say('Five');
    expect(later).toMatchObject({ reset: { reason: expect.stringMatching(/daily|idle/) } });
    expect(await process.say('Six')).toMatchObject({ reset: null, sessionId: later.sessionId });
  });
});
