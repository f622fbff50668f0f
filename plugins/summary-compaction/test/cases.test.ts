import type { CompactionEntry, Entry, Message, MessageEntry, Prompt } from '@varve/core';
import { memoryStore, partsOfMessage } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { describe, expect, it } from 'vitest';
import { checkShape } from './check-prompt.ts';
import { dataOf, fakeModel } from './fake-model.ts';
import { assistant, calls, collect, long, model, result, type Talk, talk, user } from './talk.ts';

/** Users' messages that stand whole in a prompt, by their first word. */
const whole = ({ messages }: Prompt): readonly string[] =>
  messages.flatMap(({ role, content }) =>
    role === 'user' && /^M\d+ clay/.test(String(content)) ? [String(content).slice(0, 3).trim()] : [],
  );

const exchange = async ({ say }: Talk, from: number, to: number): Promise<void> => {
  for (let n = from; n <= to; n += 1) await say(user(long(`M${n}`, 10_000)), assistant(`A${n}`));
};

const isMessage = (entry: Entry): entry is MessageEntry => entry.type === 'message';

describe('a second compaction', () => {
  it('begins where the first one left off: what that one kept is covered, not lost', async () => {
    const plugins = [summaryCompaction({ keepRecentTokens: 20_050 })];
    const talking = await talk({ budget: { inputTokens: 80_000 }, plugins });
    await exchange(talking, 1, 6);
    const first = await talking.compacted('overflow');
    expect(whole(await talking.ask())).toEqual(['M5', 'M6']);
    await exchange(talking, 7, 10);
    const second = await talking.compacted('overflow');
    expect(second.range.from).toEqual(first.range.firstKept);
    expect(second.previousId).toBe(first.id);
    expect(whole(await talking.ask())).toEqual(['M9', 'M10']);
    const covered = [first, second].flatMap(({ range }) => [range.from.seq, range.to.seq]);
    expect(covered[0]).toBe(1);
    const kept = (await talking.ask()).manifest.entries.map(({ seq }) => seq);
    const all = (await talking.entries()).filter(isMessage).map(({ seq }) => seq);
    expect(all.filter((seq) => seq > second.range.to.seq)).toEqual(kept);
  });

  it('carries the user’s words of the first on', async () => {
    const talking = await talk({ budget: { inputTokens: 80_000 } });
    await talking.say(user('Never touch src/lake.ts, please.'), assistant('Understood.'));
    await exchange(talking, 1, 7);
    await talking.compacted('overflow');
    await exchange(talking, 8, 13);
    const second = await talking.compacted('overflow');
    expect(second.digest.task?.text).toBe('Never touch src/lake.ts, please.');
    expect(JSON.stringify((await talking.ask()).messages[0])).toContain('Never touch src/lake.ts, please.');
  });
});

describe('a giant result', () => {
  const ten = Array.from({ length: 5 }, (_, n) => [user(`Question ${n}?`), assistant(`Answer ${n}.`)]).flat();

  it('at the end does not keep what is before it from being summarised', async () => {
    const { say, ask, compacted } = await talk({ budget: { contextTokens: 32_000 } });
    await say(...ten, user('Read the core.'), calls('c'), result('c', 'clay, silt, '.repeat(100_000 / 12)));
    const { range } = await compacted('overflow');
    expect(range.to.seq).toBeGreaterThanOrEqual(10);
    const prompt = await ask();
    checkShape(prompt.messages);
    expect(prompt.tokens).toBeLessThanOrEqual(25_600);
    expect(prompt.messages).toContainEqual(user('Read the core.'));
  });

  it('at the end is parked while a model sums up what is before it', async () => {
    const writer = fakeModel(() => '### Done\n- Question 0 to Question 4 are answered.');
    const plugins = [summaryCompaction({ models: [writer] })];
    const { say, ask, compacted } = await talk({ plugins, budget: { contextTokens: 8_000 } });
    const small = ten.map(
      (message) => ({ ...message, content: `${String(message.content)} ${long('Yes', 60)}` }) as typeof message,
    );
    await say(...small, user('Read the core.'), calls('c'), result('c', `TOP ${'clay, silt, '.repeat(9_000)} END`));
    const { prose, range } = await compacted('overflow');
    expect(range.to.seq).toBeGreaterThanOrEqual(10);
    expect(prose).toBe('### Done\n- Question 0 to Question 4 are answered.');
    const data = writer.asked.flatMap((asked) => dataOf(asked.split('What follows.')[0] ?? '')).join('\n');
    expect(data).toContain('Answer 4.');
    const prompt = await ask();
    checkShape(prompt.messages);
    expect(JSON.stringify(prompt.messages.at(-1))).toMatch(/TOP clay.*the whole is in #13.*END/);
    expect(prompt.tokens).toBeLessThanOrEqual(6_400);
  });

  it('that does not fit keeps head, tail and a pointer', async () => {
    const { say, ask, compacted } = await talk({ budget: { contextTokens: 8_000 } });
    await say(...ten, user('Read the core.'), calls('c'), result('c', `TOP ${'clay, silt, '.repeat(9_000)} END`));
    await compacted('threshold');
    const prompt = await ask();
    const shown = JSON.stringify(prompt.messages.at(-1));
    expect(shown).toMatch(/TOP clay.*the whole is in #13.*END/);
    expect(prompt.messages).toContainEqual(user('Read the core.'));
    expect(prompt.manifest.entries.at(-1)).toMatchObject({ kind: 'parked', rule: 'park-unread' });
  });
});

describe('a compaction with nothing to cover', () => {
  it.each([
    ['an empty session', []],
    ['one message', [user('Hello.')]],
    ['unanswered messages', [user('Hello.'), user('Anybody?')]],
    ['a running call', [calls('a')]],
  ])('leaves the journal as it is: %s', async (_, messages) => {
    const { say, compact, entries } = await talk();
    await say(...messages);
    const before = await entries();
    expect(await compact('manual')).toMatchObject({ status: 'nothing-to-do', entry: null });
    expect(await compact('threshold')).toMatchObject({ status: 'below-threshold', entry: null });
    expect(await entries()).toEqual(before);
  });

  it('is an outcome the second time at once', async () => {
    const talking = await talk({ budget: { inputTokens: 80_000 } });
    await exchange(talking, 1, 7);
    await talking.compacted('overflow');
    const before = await talking.entries();
    expect((await talking.compact('threshold')).status).toBe('below-threshold');
    expect(await talking.entries()).toEqual(before);
  });
});

describe('a group', () => {
  it.each([
    ['before the cut', 900],
    ['behind the cut', 2_000],
    ['larger than the tail', 9_000],
  ])('is covered or kept as one: %s', async (_, size) => {
    const { say, ask, compacted } = await talk({ budget: { inputTokens: 12_000 } });
    for (let n = 0; n < 4; n += 1) {
      await say(user(`Question ${n}?`), calls(`a${n}`, `b${n}`), result(`a${n}`, long('A', size)));
      await say(result(`b${n}`, long('B', size)), assistant('Read.'));
    }
    await say(user('Last?'));
    const { range } = await compacted('overflow');
    expect([1, 6, 11, 16, 21, 5, 10, 15, 20]).toContain(range.firstKept?.seq);
    checkShape((await ask()).messages);
  });

  it('may have a user message between call and result', async () => {
    const { say, ask, compacted } = await talk({ budget: { inputTokens: 12_000 } });
    await say(user(long('Old', 9_000)), assistant('Yes.'), user('Read.'), calls('a', 'b'), result('a', 'A'));
    await say(user('Wait!'), result('b', 'B'), assistant('Done.'), user('Next?'));
    await compacted('manual');
    const { messages } = await ask();
    checkShape(messages);
    for (const said of ['Wait!', 'Next?']) expect(messages).toContainEqual(user(said));
  });
});

describe('thresholds', () => {
  it('are in order for every window, and a compaction leads below the lower one', async () => {
    for (const contextTokens of [4_000, 16_000, 272_000, 1_000_000]) {
      const { say, session, compact } = await talk({ budget: { contextTokens } });
      const unit = Math.floor(contextTokens / 50);
      const seen: string[] = [];
      for (let n = 0; n < 60; n += 1) {
        await say(user(long(`M${n}`, unit)), assistant('Yes.'));
        const { level, tokens } = session.pressure({ model });
        const { status, tokensAfter } = await compact('threshold');
        if (status !== 'compacted') expect(status).toBe('below-threshold');
        else expect(tokensAfter).toBeLessThan(0.7 * tokens);
        seen.push(`${level}: ${status}`);
      }
      expect(new Set(seen)).toEqual(new Set(['none: below-threshold', 'soft: below-threshold', 'hard: compacted']));
    }
  });
});

describe('messages that no model has answered', () => {
  it('stand once each in every prompt, across a restart', async () => {
    const store = memoryStore();
    const first = await talk({ store });
    await first.say(user('A'));
    await first.session.close();
    const second = await talk({ store });
    await second.say(user('B'));
    for (let request = 0; request < 2; request += 1) {
      expect((await second.ask()).messages).toEqual([user('A'), user('B')]);
    }
    expect((await second.entries()).filter(isMessage)).toHaveLength(2);
    await second.say(assistant('Both.'), user('C'));
    expect((await second.ask()).messages).toEqual([user('A'), user('B'), assistant('Both.'), user('C')]);
  });
});

describe('edits before a compaction', () => {
  it('leave the kept messages where they are', async () => {
    const talking = await talk({ budget: { inputTokens: 30_000 } });
    const { say, ask, compacted } = talking;
    for (let n = 1; n <= 6; n += 1) {
      await say(
        user(`Question ${n}?`),
        calls(`c${n}`),
        result(`c${n}`, long(`R${n}`, 4_000)),
        assistant(`Answer ${n}.`),
      );
    }
    await say(user('Last?'));
    const { range, edits } = await compacted('overflow');
    expect(edits.length).toBeGreaterThan(0);
    const shown = (await ask()).manifest.entries.map(({ seq }) => seq);
    const all = (await talking.entries()).filter(isMessage).map(({ seq }) => seq);
    expect(shown).toEqual(all.filter((seq) => seq >= (range.firstKept?.seq ?? 0)));
    await say(assistant('The last.'), user('Really?'));
    expect((await ask()).messages).toContainEqual(assistant('Answer 6.'));
  });
});

describe('taking a compaction back', () => {
  async function twice(): Promise<{ talking: Talk; first: CompactionEntry; second: CompactionEntry }> {
    const talking = await talk({ budget: { inputTokens: 200_000 } });
    await exchange(talking, 1, 4);
    const first = await talking.compacted();
    await exchange(talking, 5, 7);
    return { talking, first, second: await talking.compacted() };
  }

  it('brings what it covered back, and keeps what came later', async () => {
    const talking = await talk({ budget: { inputTokens: 200_000 } });
    await exchange(talking, 1, 4);
    const before = (await talking.ask()).messages;
    const { id } = await talking.compacted();
    const later = [user('1'), assistant('2'), calls('3'), result('3', '4'), assistant('5')];
    await talking.say(...later);
    await talking.session.undo(id);
    expect((await talking.ask()).messages).toEqual([...before, ...later]);
  });

  it('goes from the newest to the oldest', async () => {
    const { talking, first, second } = await twice();
    await expect(talking.session.undo(first.id)).rejects.toMatchObject({
      code: 'VARVE_UNDO_ORDER',
      message: `Compaction #${first.seq} cannot be undone: #${second.seq} builds on it.`,
    });
    await talking.session.undo(second.id);
    expect(talking.session.view.compaction()?.id).toBe(first.id);
    await talking.session.undo(first.id);
    expect(whole(await talking.ask())).toEqual(['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M7']);
  });

  it('works once', async () => {
    const { talking, first, second } = await twice();
    const error = { code: 'VARVE_UNDO_ORDER', message: expect.stringContaining('undone already') };
    await talking.session.undo(second.id);
    await expect(talking.session.undo(second.id)).rejects.toMatchObject(error);
    await talking.session.undo(first.id);
    await expect(talking.session.undo(first.id)).rejects.toMatchObject(error);
  });

  it('leaves room for another one', async () => {
    const { talking, first, second } = await twice();
    await talking.session.undo(second.id);
    const third = await talking.compacted();
    expect(third).toMatchObject({ previousId: first.id, range: { from: first.range.firstKept } });
  });
});

describe('expanding a compaction', () => {
  it('gives the entries that it covers, whole', async () => {
    const talking = await talk({ budget: { inputTokens: 200_000 } });
    await exchange(talking, 1, 4);
    const all = await talking.entries();
    const { id, range } = await talking.compacted();
    const covered = all.filter(({ seq }) => seq >= range.from.seq && seq <= range.to.seq);
    expect(await collect(talking.session.expand(id))).toEqual(covered);
    await talking.session.undo(id);
    expect(await collect(talking.session.expand(id)), 'after it was undone').toEqual(covered);
  });

  it('needs a compaction', async () => {
    const { say, session } = await talk();
    const [entry] = await say(user('Hello.'));
    const expanding = collect(session.expand(entry?.id ?? ''));
    await expect(expanding).rejects.toMatchObject({ code: 'VARVE_COMPACTION_UNKNOWN' });
  });
});

describe('a turn that is longer than the budget', () => {
  const request = 'Please go through all of the cores, one by one, and tell me the oldest layer of each.';

  /** Reads one core after the other; compacts before a request when that is due. */
  async function loop({ say, ask, compact }: Talk, from: number, to: number): Promise<readonly Prompt[]> {
    const prompts: Prompt[] = [];
    for (let n = from; n <= to; n += 1) {
      await say(calls(`c${n}`), result(`c${n}`, long(`Core ${n}`, 900)));
      await compact('threshold');
      prompts.push(await ask());
    }
    return prompts;
  }

  it('keeps its user message in front of what is kept, once, through several compactions', async () => {
    const talking = await talk({ budget: { inputTokens: 8_000 } });
    await talking.say(user('Hello.'), assistant('Hello!'), user(request));
    for (const { messages } of await loop(talking, 1, 60)) {
      checkShape(messages);
      expect(messages.filter(({ content }) => content === request)).toHaveLength(1);
    }
    const compactions = (await talking.entries()).filter((entry) => entry.type === 'compaction');
    expect(compactions.length).toBeGreaterThan(2);
    expect(compactions.slice(1).map(({ range }) => range.held?.seq)).toEqual(compactions.slice(1).map(() => 3));
    const { messages } = await talking.ask();
    expect(messages[1]).toEqual(user(request));
    expect(JSON.stringify(messages[0]), 'the summary does not repeat it').not.toContain(request);
  });

  it('has its user message in the user log once a later turn is compacted', async () => {
    const talking = await talk({ budget: { inputTokens: 8_000 } });
    await talking.say(user('Hello.'), assistant('Hello!'), user(request));
    await loop(talking, 1, 20);
    await talking.say(assistant('They are all old.'), user('How old?'));
    await loop(talking, 21, 40);
    const { range, digest } = (await talking.entries()).findLast(
      (entry) => entry.type === 'compaction',
    ) as CompactionEntry;
    expect(range.held?.seq).not.toBe(3);
    expect([digest.task, ...digest.userLog].map((line) => line?.text)).toContain(request);
    const { messages } = await talking.ask();
    expect(messages.filter(({ content }) => content === request)).toEqual([]);
    expect(JSON.stringify(messages[0])).toContain(request);
    expect(messages[1]).toEqual(user('How old?'));
  });
});

describe('what was fetched back', () => {
  it('T-27: stays whole in what is kept, counts as such for a wish of messages, and adds nothing to the ledger', async () => {
    const plugins = [summaryCompaction({ keepRecentMessages: 24, maskToolResultsAfterAssistants: 2 })];
    const talking = await talk({ budget: { inputTokens: 40_000 }, plugins });
    const back = (n: number): Message => {
      const content = partsOfMessage(result(`b${n}`, `#${n} user: berth_${n} ${long('Back', 600)}`));
      return {
        role: 'tool',
        content: content.map((part) => ({ ...part, providerOptions: { varve: { recovered: true } } })),
      } as Message;
    };
    for (let n = 1; n <= 14; n += 1) {
      await talking.say(user(long(`Question ${n}`, 300)), calls(`b${n}`), back(n));
      await talking.say(calls(`c${n}`), result(`c${n}`, `core_${n} ${long('Core', 600)}`), assistant(`Answer ${n}.`));
    }
    const { range, digest } = await talking.compacted('manual');
    const shown = (await talking.ask()).messages.flatMap((message) =>
      message.role === 'tool' ? message.content.map(({ output }) => String(output.value)) : [],
    );
    const isBack = (text: string): boolean => /^#\d+ user: berth_/.test(text);
    expect(shown.filter(isBack).length, 'as many as turns are kept').toBe(shown.length / 2);
    expect(shown.filter((text) => text.includes('left out; the whole is in')).length).toBe(shown.length / 2 - 1);
    expect(range.to.seq).toBeGreaterThan(6);
    const names = digest.ledger.map(({ text }) => text);
    expect(names).toContain('core_1');
    expect(names.filter((name) => name.startsWith('berth_'))).toEqual([]);
  });
});
