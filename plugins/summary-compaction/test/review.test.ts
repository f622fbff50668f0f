import { tableCounter } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataOf, fakeModel } from './fake-model.ts';
import { assistant, long, talk, user } from './talk.ts';

/** What of a model's lines is kept, after a conversation of which the last messages stay in view. */
async function kept(lines: readonly string[], following: readonly string[] = ['Done.']): Promise<readonly string[]> {
  const writer = fakeModel(() => lines.join('\n'));
  const plugins = [summaryCompaction({ models: [writer], keepRecentTokens: 100 })];
  const { say, compacted } = await talk({ plugins, budget: { inputTokens: 40_000 } });
  await say(user('Please never push to main; ask me “before you deploy”.'), assistant('I will wait for your word.'));
  await say(user('不要删除 data/ 下的文件。'), assistant('好的。'));
  for (let n = 0; n < 8; n += 1) await say(user(long('Count the clay', 300)), assistant(long('Counted', 20)));
  await say(user('And?'));
  for (const text of following) await say(assistant(text));
  await say(user('Thanks.'));
  const { prose } = await compacted();
  return (prose ?? '').split('\n').filter((line) => lines.includes(line));
}

describe('a line that quotes the user', () => {
  it.each([
    ['- The user said: "never push to main".', true],
    ['- The user asked: "Please never push to main; ask me "', true],
    ['- User: “never push … before you deploy”', true],
    ['- The user wants “before you deploy”.', true],
    ['- 用户要求：「不要删除 data/ 下的文件」', true],
    ['- The user approved: "yes, push".', false],
    ['- The user said "push to ma".', false],
    ["- The user replied: 'yep'.", false],
    ['- Der Nutzer schrieb: „Lösch alles“.', false],
    ['- 用户说：「全部删除」', false],
    ['- The user confirmed (#3): "I will wait for your word".', false],
    ['- Renamed "user_id" to "userId" in the model.', true],
    ['- The log says "permission denied".', true],
    ['- The user wants clay counted.', true],
  ])('is kept if the user said so: %s', async (line, isKept) => {
    expect(await kept(['### Decisions', line, '- Clay is counted.'])).toEqual(
      ['### Decisions', line, '- Clay is counted.'].filter((one) => one !== line || isKept),
    );
  });
});

describe('a next step', () => {
  const step = '- Rename the parser module to reader.';

  it.each([
    ['nothing tells of its end', ['I looked at the module.'], true],
    ['the agent says that it is done', ['I renamed the parser module: it is called reader now.'], false],
    ['the agent says so in other words', ['Done: parser module renamed to reader, tests passed.'], false],
    ['something else is done', ['I fixed the failing test of the lexer.'], true],
    ['it is not done yet', ['The parser module is not renamed to reader yet.'], true],
    ['it will be done', ['I will rename the parser module to reader once that is fixed.'], true],
  ])('is judged by what follows: %s', async (_, following, isKept) => {
    const lines = ['### Next step', step, '- Count the clay.'];
    expect(await kept(lines, following)).toEqual(lines.filter((line) => line !== step || isKept));
  });

  it('is not what the summary itself says is done', async () => {
    const lines = ['### Done', '- Renamed the parser module to reader.', '### Next step', step, '- Count the clay.'];
    expect(await kept(lines)).toEqual(lines.filter((line) => line !== step));
  });

  it('may be all that there was: then its heading goes, too', async () => {
    const lines = ['### Done', '- Renamed the parser module to reader.', '### Next step', step];
    expect(await kept(lines)).toEqual(lines.slice(0, 2));
  });
});

describe('headings', () => {
  it.each([
    ['**Goal**', '### Goal'],
    ['## Goal', '### Goal'],
    ['# goal:', '### Goal'],
    ['Goal：', '### Goal'],
    ['### Something else', 'Something else'],
    ['## End of the summary', 'End of the summary'],
  ])('have one form, and others are lines: %s', async (written, shown) => {
    const writer = fakeModel(() => `${written}\n- Count the clay.`);
    const plugins = [summaryCompaction({ models: [writer], keepRecentTokens: 100 })];
    const { say, compacted } = await talk({ plugins, budget: { inputTokens: 40_000 } });
    for (let n = 0; n < 8; n += 1) await say(user(long('Count the clay', 300)), assistant('Counted.'));
    expect((await compacted()).prose?.split('\n')[0]).toBe(shown);
  });
});

describe('the language', () => {
  const english = '### Goal\n- Date the cores of the lake and report how many layers they have.';
  const chinese = '### Goal\n- 给湖泊的岩芯定年，数清楚纹泥的层数，然后报告结果。';
  const russian = '### Goal\n- Определить возраст кернов озера и сообщить число слоёв.';

  it.each([
    ['an English user', '', [chinese, english], english],
    ['a Chinese user', '请数一数湖泊岩芯的层数，', [english, chinese], chinese],
    ['a Chinese user who pastes code', '请看 `const x = 1;` 这段代码，数一数层数，', [english, chinese], chinese],
    ['a Russian user', 'Посчитай слои кернов, пожалуйста. ', [english, russian], russian],
    ['a user of both', 'Сколько слоёв? ', [english], english],
  ])('is that of the user, as far as the writing tells: %s', async (who, said, answers, taken) => {
    const writer = fakeModel((_, { n }) => answers[n] ?? '');
    const plugins = [summaryCompaction({ models: [writer], keepRecentTokens: 100 })];
    const { say, compacted } = await talk({ plugins, budget: { inputTokens: 40_000 } });
    const filler = said === '' || who === 'a user of both' ? long('Count the clay', 200) : '';
    for (let n = 0; n < 8; n += 1) await say(user(`${said}${filler}`), assistant(long('Counted', 200)));
    const { prose } = await compacted();
    expect(prose).toContain(taken.split('\n')[1]);
    expect(writer.asked).toHaveLength(answers.length);
  });
});

describe('whatever is said, and however little a model can read', () => {
  it('all of it is read, within four fifths of the window', async () => {
    let folded = 0;
    const size = fc.integer({ min: 1, max: 220 });
    const property = fc.asyncProperty(
      fc.array(size, { minLength: 4, maxLength: 24 }),
      fc.integer({ min: 4_000, max: 12_000 }),
      async (sizes, contextTokens) => {
        const writer = fakeModel(() => '### Goal\n- Count.');
        const models = [{ port: writer, contextTokens }];
        const plugins = [summaryCompaction({ models, keepRecentTokens: 0 })];
        const { say, compact } = await talk({ plugins, budget: { inputTokens: 100_000 } });
        const words: string[] = [];
        const lines = (count: number): string => {
          const own = Array.from({ length: count * 4 }, () => `w${words.length}x${words.push('')}`);
          words.splice(-own.length, own.length, ...own);
          return own.join('\n');
        };
        for (const [n, count] of sizes.entries()) await say((n % 2 === 0 ? user : assistant)(lines(count)));
        const covered = words.length;
        await say(user('And?'), assistant('Yes.'), user('Thanks.'));
        const { entry } = await compact('manual');
        if (entry?.prose == null) return;
        folded += writer.asked.length > 1 ? 1 : 0;
        const read = new Set(writer.asked.flatMap(dataOf));
        const seen = words.slice(0, covered).filter((word) => read.has(word));
        expect(seen).toHaveLength(covered);
        for (const text of writer.asked) expect(tableCounter.count(text)).toBeLessThanOrEqual(0.8 * contextTokens);
      },
    );
    await fc.assert(property, { numRuns: 15 });
    expect(folded, 'conversations that did not fit into one call').toBeGreaterThan(2);
  });
});
