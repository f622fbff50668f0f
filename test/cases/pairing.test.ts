import type { BudgetOptions, Message, Prompt } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { describe, expect, it } from 'vitest';
import { assistant, calls, exchanges, result, textOf, user, words } from './messages.ts';
import { openTalk, type Talk } from './open-talk.ts';
import { requestFaults } from './request-faults.ts';

/** Messages in the middle of a conversation through which a limit cuts. */
const shapes: readonly (readonly [name: string, middle: readonly Message[], group: readonly string[]])[] = [
  [
    'two calls of one answer, whose results are messages of their own,',
    [user('Read both.'), calls('a', 'b'), result('a'), result('b'), assistant('Both are read.')],
    ['result of a', 'result of b'],
  ],
  [
    'one call and its result in a short session',
    [user('Read.'), calls('c1'), result('c1'), assistant('It is read.')],
    ['"input":{"id":"c1"}', 'result of c1'],
  ],
  [
    'an answer that calls before the result of the one before it has come, and its result,',
    [user('Read both.'), calls('a'), calls('b'), result('a'), result('b'), assistant('Both are read.')],
    ['"input":{"id":"b"}', 'result of b'],
  ],
  [
    'a call and its result, between which stands a result that nobody asked for,',
    [user('Read.'), calls('b'), result('a'), result('b'), assistant('It is read.')],
    ['"input":{"id":"b"}', 'result of b'],
  ],
  [
    'a call that never gets its result, and the one that is made up for it,',
    [user('Read.'), calls('lost'), user('Never mind.'), assistant('As you wish.')],
    ['"input":{"id":"lost"}', '"toolCallId":"lost","toolName":"read","output"'],
  ],
];

async function converse(middle: readonly Message[], budget: BudgetOptions = {}): Promise<Talk> {
  const talk = await openTalk({ budget });
  await talk.say(...exchanges('Old', 3), ...middle, ...exchanges('New', 3), user('And now?'));
  return talk;
}

/** How many of the texts stand in a prompt. */
const shown = (prompt: Prompt, texts: readonly string[]): number =>
  texts.filter((text) => textOf(prompt).includes(text)).length;

describe.each(shapes)('%s', (_, middle, group) => {
  it('are in a prompt together or not at all, wherever a limit cuts', async () => {
    const counts = new Set<number>();
    const whole = (await (await converse(middle)).ask()).tokens;
    for (let inputTokens = 30; inputTokens <= whole + 3; inputTokens += 3) {
      await using talk = await converse(middle, { inputTokens });
      const prompt = await talk.ask();
      expect(requestFaults({ prompt }), `within ${inputTokens} tokens`).toEqual([]);
      counts.add(shown(prompt, group));
    }
    expect(counts).toEqual(new Set([0, group.length]));
  });

  it('are summed up together or not at all, wherever a compaction cuts', async () => {
    const counts = new Set<number>();
    for (let keepRecentTokens = 0; keepRecentTokens <= 300; keepRecentTokens += 6) {
      const plugins = [summaryCompaction({ keepRecentTokens, maskToolResultsAfterAssistants: null })];
      await using talk = await openTalk({ budget: { inputTokens: 3_000 }, plugins });
      await talk.say(...exchanges('Old', 3, 200), ...middle, ...exchanges('New', 3), user('And now?'));
      const { status } = await talk.compact('manual');
      if (status !== 'compacted') continue;
      const prompt = await talk.ask();
      expect(requestFaults({ prompt }), `with ${keepRecentTokens} tokens kept`).toEqual([]);
      counts.add(shown({ ...prompt, messages: prompt.messages.slice(1) }, group));
    }
    expect(counts).toEqual(new Set([0, group.length]));
  });
});

describe('a result that comes after two compactions', () => {
  it('leaves every prompt valid, and is there to be read', async () => {
    await using talk = await openTalk({ budget: { inputTokens: 3_000 } });
    await talk.say(...exchanges('Old', 4), user('Begin the long job.'), calls('late'));
    await talk.say(...exchanges('Meanwhile', 4, 150));
    for (let round = 0; round < 2; round += 1) {
      expect((await talk.compact('manual')).status).toBe('compacted');
      await talk.say(...exchanges(`After ${round}`, 4, 150));
      expect(requestFaults({ prompt: await talk.ask() })).toEqual([]);
    }
    await talk.say(result('late', 'the long job is done'), user('So?'));
    const prompt = await talk.ask();
    expect(requestFaults({ prompt })).toEqual([]);
    expect(textOf(prompt)).toContain('the long job is done');
    expect((await talk.compact('manual')).status).toBe('compacted');
    expect(requestFaults({ prompt: await talk.ask() })).toEqual([]);
  });
});

describe('a call whose result never comes', () => {
  it('does not keep a session from being compacted, again and again', async () => {
    await using talk = await openTalk({ budget: { inputTokens: 3_000 } });
    await talk.say(user('Begin.'), calls('dead'), user('Never mind.'), assistant('As you wish.'));
    const firsts: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await talk.say(...exchanges(`Round ${round}`, 5, 200));
      const { status, entry } = await talk.compact('manual');
      expect(status).toBe('compacted');
      firsts.push(entry?.range.firstKept?.seq ?? 0);
      expect(requestFaults({ prompt: await talk.ask() })).toEqual([]);
    }
    expect(firsts[0]).toBeGreaterThan(4);
    expect(firsts).toEqual([...new Set(firsts)].sort((one, other) => one - other));
  });

  it('stays open while it runs: a compaction covers neither it nor what it was asked for', async () => {
    await using talk = await openTalk({ budget: { inputTokens: 3_000 } });
    await talk.say(...exchanges('Old', 6, 150), user('Ask the person for leave.'), calls('leave'));
    const { status, entry } = await talk.compact('manual');
    expect([status, (entry?.range.to.seq ?? 99) <= 12]).toEqual(['compacted', true]);
    await talk.say(result('leave', 'granted'));
    expect((await talk.ask()).messages.slice(-3)).toEqual([
      user('Ask the person for leave.'),
      calls('leave'),
      result('leave', 'granted'),
    ]);
  });
});

describe('a limit on the number of turns', () => {
  it('leaves the summary where it is, in front of the turns that it allows', async () => {
    const plugins = [summaryCompaction({ keepRecentTokens: 400 })];
    await using talk = await openTalk({ budget: { inputTokens: 3_000 }, plugins });
    await talk.say(user('Deploy to the host harbour-7 alone.'), assistant('I will.'), ...exchanges('Old', 8, 100));
    expect((await talk.compact('manual')).status).toBe('compacted');
    await talk.say(...exchanges('Between', 2, 500));
    await talk.say(user(words('Last but one', 600)), assistant(words('Yes', 600)), user(words('Last', 600)));
    const { messages, manifest } = await talk.ask();
    expect(manifest.entries.some(({ kind }) => kind === 'dropped')).toBe(true);
    expect(String(messages[0]?.content)).toContain('Deploy to the host harbour-7 alone.');
    expect(messages.slice(-3).map(({ content }) => String(content).slice(0, 8))).toEqual([
      'Last but',
      'Yes clay',
      'Last cla',
    ]);
  });
});
