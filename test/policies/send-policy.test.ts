import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeliveryDecision, DeliveryKind, Plugin } from '@varve/core';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { sendPolicy } from '@varve/plugin-send-policy';
import { manualClock } from '@varve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginProcess, type PolicyHost } from './policy-host.ts';

const key = 'agent:main:main';
const other = 'agent:main:telegram:group:-7';
const kinds: readonly DeliveryKind[] = ['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'];
const policies: readonly Plugin[] = [resetPolicy({ atHour: 4, timeZone: 'UTC' }), sendPolicy()];
const dayMs = 24 * 3_600_000;

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'varve-policies-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Tries each of the six ways out of a conversation, and gives what was decided about them. */
async function tryAll(process: PolicyHost): Promise<readonly DeliveryDecision[]> {
  const decisions: DeliveryDecision[] = [];
  const stop = process.host.events.on('delivery-decided', ({ decision }) => decisions.push(decision));
  const { sessions, say } = process;
  await say('Hello!', {}, { onDelta: () => expect.unreachable('a piece of an answer left') });
  await say('/new');
  await sessions.deliver(key, { kind: 'reaction', text: '👍', inReplyTo: 'm1' });
  await sessions.deliver(key, { kind: 'announcement', text: 'It is done.' });
  await sessions.deliver(key, { kind: 'cross-session', to: other, text: 'Psst.' });
  stop();
  return decisions;
}

async function expectNothingLeft(process: PolicyHost, decisions: readonly DeliveryDecision[]): Promise<void> {
  expect(process.sent).toEqual([]);
  expect(await process.sessions.current(other)).toBeNull();
  expect(new Set(decisions.map(({ delivery }) => delivery.kind))).toEqual(new Set(kinds));
  expect(decisions.filter(({ allow }) => allow)).toEqual([]);
}

describe('/send off', () => {
  it('holds over /new, the end of the day and restarts, for each way out, and every result says why', async () => {
    const clock = manualClock(Date.parse('2026-03-08T12:00:00Z'));
    const why = { allow: false, rule: 'override', reason: expect.stringContaining('switched off for this session') };
    {
      await using first = await beginProcess({ root, plugins: policies, clock });
      expect(await first.say('Hello!')).toMatchObject({ reply: { text: 'Yes.' } });
      expect(await first.say('/send off')).toMatchObject({ status: 'command', reply: null, decision: why });
      const before = first.sent.length;
      expect(await first.say('Still there?')).toMatchObject({ status: 'answered', reply: null, decision: why });
      expect(await first.say('/new')).toMatchObject({ status: 'reset', reply: null, decision: why });
      expect(await first.say('And now?')).toMatchObject({ status: 'answered', reply: null, decision: why });
      clock.advance(dayMs);
      const nextDay = await first.say('Good morning!');
      expect(nextDay).toMatchObject({ status: 'answered', reset: { reason: 'daily' }, reply: null, decision: why });
      expect(first.sent).toHaveLength(before);
    }
    await using second = await beginProcess({ root, plugins: policies, clock });
    const decisions = await tryAll(second);
    await expectNothingLeft(second, decisions);
    for (const decision of decisions) expect(decision).toMatchObject(why);
    expect(await second.sessions.generations(key)).toHaveLength(4);
    expect(await second.say('/send on')).toMatchObject({ reply: { text: expect.stringContaining('may leave') } });
    expect(await second.say('Hello!')).toMatchObject({ reply: { text: 'Yes.' } });
  });

  it('is the owner’s alone to say, and to take back', async () => {
    await using process = await beginProcess({ root, plugins: policies });
    await process.say('/send off');
    const stranger = { sender: { id: '9', role: 'member' } } as const;
    expect(await process.say('/send on', stranger)).toMatchObject({
      command: { data: { status: 'refused' } },
      reply: null,
    });
    expect(await process.say('Hello!', stranger)).toMatchObject({ status: 'answered', reply: null });
    expect(process.sent).toEqual([]);
  });

  it('that ends by itself ends to the millisecond, in a later generation, too', async () => {
    const clock = manualClock(Date.parse('2026-03-08T12:00:00Z'));
    await using process = await beginProcess({ root, plugins: policies, clock });
    await process.say('/send off for 2h');
    await process.say('/new');
    clock.advance(2 * 3_600_000 - 1);
    expect(await process.say('Hello!')).toMatchObject({ reply: null });
    clock.advance(1);
    expect(await process.say('Hello!')).toMatchObject({ reply: { text: 'Yes.' } });
  });

  it('leaves the denied deliveries in the journal, each with its rule', async () => {
    await using process = await beginProcess({ root, plugins: policies });
    await process.say('/send off');
    await process.say('Hello!');
    const denied: unknown[] = [];
    await process.sessions.use(key, async (session) => {
      await session.explain();
      for await (const entry of session.read()) if (entry.type === 'send-policy:denied') denied.push(entry.data);
    });
    expect(denied).toContainEqual(
      expect.objectContaining({ kind: 'reply', rule: 'override', characters: 'Yes.'.length }),
    );
    expect(denied).toContainEqual(expect.objectContaining({ kind: 'typing', rule: 'override' }));
  });
});

describe('rules', () => {
  it('that deny announcements hold for what a sub-agent has found: it is told to its parent, and to nobody else', async () => {
    const rules = [{ action: 'deny', match: { kind: 'announcement' } }] as const;
    await using process = await beginProcess({ root, plugins: [sendPolicy({ rules })] });
    const decided: DeliveryDecision[] = [];
    process.host.events.on('delivery-decided', ({ decision }) => decided.push(decision));
    await process.say('Hello!');
    const before = process.sent.length;
    const { ended } = await process.sessions.spawn(key, { task: 'Look for clay.' });
    await ended;
    await expect.poll(() => decided.at(-1)?.delivery.kind).toBe('announcement');
    expect(decided.at(-1)).toMatchObject({ allow: false, rule: 'rules[0]' });
    expect(process.sent).toHaveLength(before);
    const messages = await process.sessions.use(key, async ({ view }) => view.messages());
    expect(messages.map(({ provenance }) => provenance.kind)).toContain('subagent');
  });

  it('that deny everything let none of the six kinds leave, and the model is asked all the same', async () => {
    const denying = [resetPolicy(), sendPolicy({ default: 'deny' })];
    await using process = await beginProcess({ root, plugins: denying });
    await expectNothingLeft(process, await tryAll(process));
    expect(process.asked).toHaveLength(1);
  });

  it('answer in groups only who speaks to the agent', async () => {
    const rules = [{ action: 'deny', match: { chatType: ['group', 'channel'], addressed: ['any', 'none'] } }] as const;
    await using process = await beginProcess({ root, plugins: [sendPolicy({ rules })] });
    const room = { chatType: 'group', peer: '-7', sender: { id: '9', role: 'member' } } as const;
    const replies: boolean[] = [];
    for (const addressed of ['any', 'mention', 'reply'] as const) {
      replies.push((await process.say('Hello!', { ...room, addressed })).reply !== null);
    }
    replies.push((await process.say('Hello!')).reply !== null);
    expect(replies).toEqual([false, true, true, true]);
    const [first] = process.asked;
    expect(process.asked).toHaveLength(4);
    expect(first?.prompt.messages).toHaveLength(1);
  });
});
