import { createHost } from '@varve/core';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import { describe, expect, it } from 'vitest';
import { assistant, fill, recalledIn, talk, textOf, tool, user } from './talk.ts';

const question = 'Who looks after the bees of Ilse?';
const answer = 'Somebody called Marten, on Thursdays, with a ladder.';

/** An answer that has no word of its question, said right behind it; far back, in mode quality. */
async function answerRecalled(options: RecallOptions): Promise<string> {
  const talking = await talk({ options: { mode: 'quality', ...options }, inputTokens: 700 });
  await talking.say(user(question));
  await talking.say(assistant(answer));
  await fill(talking, { count: 60 });
  // Others that have a word of the question, too: room is scarce.
  for (let number = 0; number < 12; number += 1) {
    talking.wait(3_600_000);
    await talking.say(
      user(`Number ${number}: some bees were seen near the tower, which is nothing to worry about today.`),
    );
  }
  talking.wait(3_600_000);
  await fill(talking, { from: 60, count: 30 });
  return recalledIn(await talking.ask(question)).join('\n');
}

describe('neighbours', () => {
  it('lift what is said beside a passage that fits', async () => {
    expect(await answerRecalled({})).toContain(answer);
    expect(await answerRecalled({ neighbours: 1 })).toContain(answer);
  });

  it('lift nothing where there are none', async () => {
    const recalled = await answerRecalled({ neighbours: 0 });
    expect(recalled).toContain(question);
    expect(recalled).not.toContain(answer);
  });
});

/** What is recalled first for a question with a name and a plain word, each of which stands in another message. */
async function recalledFor(identifiers: number): Promise<string> {
  const options = { mode: 'quality', neighbours: 0, weights: { identifiers }, shares: { chatRecall: 0.3 } } as const;
  const talking = await talk({ options, inputTokens: 500 });
  for (const text of ['The drain is loadSettings again.', 'A heron stood at the weir.', 'A heron slept at the weir.']) {
    await talking.say(user(text));
    talking.wait(3_600_000);
  }
  await fill(talking, { count: 60 });
  return recalledIn(await talking.ask('What about loadSettings and the heron?')).join('\n');
}

describe('weights.identifiers', () => {
  it('of 0 leaves names out of what is looked for, words alone are', async () => {
    const recalled = await recalledFor(0);
    expect(recalled).toContain('A heron');
    expect(recalled).not.toContain('loadSettings');
  });

  it.each([1, 4])('of %d looks for names and words', async (identifiers) => {
    const recalled = await recalledFor(identifiers);
    expect(recalled).toContain('loadSettings');
  });
});

/** A conversation with a tool whose result is hidden, and the note of the first prompt behind the compaction. */
async function noteOf(options: RecallOptions): Promise<string> {
  const talking = await talk({ options: { mode: 'cache-friendly', ...options }, inputTokens: 6_000 });
  await talking.say(user('Look for the leak.'));
  for (const message of tool('a', 'leakInBuffer is drained at src/pool/drain.ts')) await talking.say(message);
  await talking.say(user('My sister Ilse keeps bees on the roof.'));
  await talking.say(assistant('How nice.'));
  await fill(talking, { count: 90 });
  await talking.compact();
  await talking.say(user('Who keeps bees?'));
  return recalledIn(await talking.ask()).join('\n');
}

describe('shares.identifiers', () => {
  it('keeps room in a note for lines in which identifiers were last used', async () => {
    const note = await noteOf({});
    expect(note).toContain('keeps bees on the roof');
    expect(note).toContain('leakInBuffer is drained at src/pool/drain.ts');
  });

  it('of 0 leaves all of a note to what is asked for', async () => {
    const note = await noteOf({ shares: { identifiers: 0 } });
    expect(note).toContain('keeps bees on the roof');
    expect(note).not.toContain('leakInBuffer');
  });
});

describe('what is looked for while tools are called', () => {
  it('has what the assistant is at, beside what was asked', async () => {
    const talking = await talk({ options: { mode: 'quality' }, inputTokens: 2_000 });
    await talking.say(user('The valve is under the third sluice.'));
    await talking.say(assistant('Good to know.'));
    await fill(talking, { count: 60 });
    await talking.say(user('Please finish.'));
    for (const message of tool('a', 'no such file', { path: 'notes about the third sluice' }))
      await talking.say(message);
    expect(textOf(await talking.ask('Please finish.'))).toContain('The valve is under the third sluice.');
  });
});

it.each([{ neighbours: -1 }, { neighbours: 6 }, { weights: { identifiers: -1 } }, { shares: { identifiers: 2 } }])(
  'the host does not start with %j',
  async (options) => {
    const start = createHost({ plugins: [recall(options)] });
    await expect(start).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS' });
  },
);
