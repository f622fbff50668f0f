import { type LedgerFact, type MessageEntry, mergeLedger, type Provenance } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

type Speaker = 'user' | 'assistant' | 'tool';

/** A message entry of one text; a tool's is the result of a call of `bash`. */
function entry(seq: number, by: Speaker, text: string): MessageEntry {
  const base = {
    v: 1,
    id: `id-${seq}`,
    parentId: null,
    seq,
    at: 0,
    type: 'message',
    tokens: { n: 0, by: 't' },
  } as const;
  if (by === 'user') return { ...base, message: { role: 'user', content: text }, provenance: { kind: 'user' } };
  if (by === 'assistant')
    return { ...base, message: { role: 'assistant', content: text }, provenance: { kind: 'model' } };
  return result(seq, { type: 'text', value: text });
}

function result(seq: number, output: { type: 'text' | 'error-text'; value: string }): MessageEntry {
  return {
    ...entry(seq, 'user', ''),
    message: { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'bash', output }] },
    provenance: { kind: 'tool' },
  };
}

function factOf(ledger: readonly LedgerFact[], text: string): LedgerFact | undefined {
  return ledger.find((fact) => fact.text === text);
}

describe('mergeLedger', () => {
  it('counts the entries that name something, not the mentions', () => {
    const ledger = mergeLedger(
      [],
      [
        entry(3, 'tool', 'berth_id berth_id berth_id'),
        entry(5, 'user', 'What is berth_id?'),
        entry(9, 'assistant', 'berth_id is the key.'),
      ],
    );
    expect(ledger).toMatchObject([{ kind: 'symbol', text: 'berth_id', firstSeq: 3, lastSeq: 9, uses: 3, by: 'user' }]);
  });

  it('knows the speaker by provenance: what a plugin or another session says weighs no more than a tool', () => {
    const others: Provenance['kind'][] = ['system-event', 'subagent', 'inter-session', 'plugin', 'tool', 'model'];
    for (const kind of others) {
      const ledger = mergeLedger([], [{ ...entry(1, 'user', 'Never touch berth_id, please.'), provenance: { kind } }]);
      expect(ledger.map(({ text, by }) => [text, by])).toEqual([['berth_id', 'tool']]);
    }
  });

  it('finds identifiers in the arguments of tool calls, in reasoning and in the names of files', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'maybe tide_table' },
        {
          type: 'tool-call',
          toolCallId: 'c',
          toolName: 'edit',
          input: { path: 'src/a.ts', edits: [{ to: 'x_1\ny_22_z' }] },
        },
        { type: 'file', data: 'AAAA', mediaType: 'text/csv', filename: 'berths.csv' },
      ],
    } as const;
    const texts = mergeLedger([], [{ ...entry(1, 'assistant', ''), message }]).map(({ text }) => text);
    expect(texts).toEqual(['berths.csv', 'src/a.ts', 'tide_table', 'y_22_z']);
  });

  // Columns: the line · the number in it · its label.
  const labels: [line: string, value: string, label: string | undefined][] = [
    ['The pool timeout is 30000 ms.', '30000', 'The pool timeout is'],
    ['  "port": 5432,', '5432', 'port'],
    ['const limits = { maxRows: 10000 }', '10000', 'maxRows'],
    ['连接超时为 45000 毫秒', '45000', '连接超时为'],
    ['Released in the autumn as version 2.14.0', '2.14.0', 'the autumn as version'],
    ['80443', '80443', undefined],
  ];
  it.each([
    ['Set the limit to 230 cm.', '230', 'Set the limit to'],
    ['The port is 443.', '443', 'The port is'],
    ['timeout: 250 ms', '250', 'timeout'],
    ['房间号是 312', '312', '房间号是'],
  ])('keeps three digits of which it is said what they are: %s', (line, value, label) => {
    for (const by of ['user', 'assistant'] as const) {
      const fact = factOf(mergeLedger([], [entry(1, by, line)]), value);
      expect(fact).toMatchObject({ kind: 'number', label, stated: true });
    }
    expect(mergeLedger([], [entry(1, 'tool', line)]).map(({ text }) => text)).not.toContain(value);
  });

  it.each([
    'There were 500 errors.',
    'HTTP 404 came back',
    'I paid 230 for it',
    'It is 2.230',
    'at 12:300',
    'is 230km',
  ])('keeps no three digits of which nobody says what they are: %s', (line) => {
    expect(mergeLedger([], [entry(1, 'user', line)]).filter(({ text }) => /^\d{3}$/.test(text))).toEqual([]);
  });

  it('gives a value no label of words that name nothing', () => {
    const [fact] = mergeLedger([], [entry(1, 'user', 'And it is 4471.')]);
    expect(fact).toMatchObject({ text: '4471', stated: true });
    expect(fact?.label).toBeUndefined();
  });

  it.each(labels)('labels a value with the words before it: %s', (line, value, label) => {
    expect(factOf(mergeLedger([], [entry(1, 'tool', `first\n${line}\nlast`)]), value)?.label).toBe(label);
  });

  // Columns: speaker · the sentence, which is kept whole · its kind.
  const statements: [by: 'user' | 'assistant', text: string, kind: string][] = [
    ['user', 'You must never delete a booking.', 'constraint'],
    ['user', "Don't use the old client.", 'constraint'],
    ['user', '不要修改公共接口', 'constraint'],
    ['user', '必ずテストを先に書いてください。', 'constraint'],
    ['user', 'Actually, I meant the other harbour.', 'correction'],
    ['user', 'Actually, the northern branch comes first.', 'correction'],
    ['user', '不对，应该是右边的那个', 'correction'],
    ['user', "Let's go with the second plan.", 'decision'],
    ['user', '我们决定用第二个方案', 'decision'],
    ['user', 'The build is broken since noon.', 'error'],
    ['user', '页面报错了，打不开', 'error'],
    ['assistant', 'I decided to keep both columns.', 'decision'],
    ['assistant', '最后采用了乐观锁的方案', 'decision'],
    ['assistant', 'Two of the tests still failed.', 'error'],
    ['assistant', 'I was wrong about the order.', 'correction'],
    ['assistant', 'The key must not be logged.', 'constraint'],
  ];
  it.each(statements)('keeps what the %s says as a fact of its own: %s', (by, text, kind) => {
    expect(mergeLedger([], [entry(4, by, `Well then. ${text}\nThat is all for now.`)])).toEqual([
      { kind, text, firstSeq: 4, lastSeq: 4, uses: 1, by },
    ]);
  });

  // Columns: why it is no statement · speaker · text.
  const silent: [why: string, by: Speaker, text: string][] = [
    ['a tool says it', 'tool', 'You must never delete a booking.'],
    ['a model merely tells it', 'assistant', 'This always returns the first row, so let me make sure.'],
    ['it stands in a code block', 'user', '```\nyou must never\n```'],
    ['it is a quotation', 'user', '> you must never delete a booking'],
    ['it is a question of not knowing', 'user', "I don't know what this is."],
  ];
  it.each(silent)('makes no statement when %s', (_, by, text) => {
    expect(mergeLedger([], [entry(1, by, text)])).toEqual([]);
  });

  // Columns: speaker · text with tnt_4711 · whether it says that something is tnt_4711.
  const tellings: [by: Speaker, text: string, isStated: boolean][] = [
    ['user', 'The tenant of the harbour is tnt_4711.', true],
    ['user', 'tenant = "tnt_4711"', true],
    ['user', 'tnt_4711 is the tenant, in case it comes up.', true],
    ['user', 'Use tnt_4711 as the tenant.', true],
    ['assistant', 'I have set the tenant to `tnt_4711`.', true],
    ['assistant', '租户是tnt_4711', true],
    ['user', 'What is tnt_4711?', false],
    ['user', 'Look into tnt_4711 and tell me what it does.', false],
    ['assistant', 'The test is slow.\ntnt_4711 fails.', false],
    ['tool', 'tenant: tnt_4711', false],
  ];
  it.each(tellings)('knows whether the %s says what something is: %s', (by, text, isStated) => {
    const fact = factOf(mergeLedger([], [entry(1, by, text)]), 'tnt_4711');
    expect(fact?.stated).toBe(isStated ? true : undefined);
  });

  it('keeps what the user said once that something is, however often tools name other things', () => {
    const names = Array.from({ length: 2_500 }, (_, index) => `name_of_${index}`).join(' ');
    const said = entry(1, 'user', 'By the way, the tenant is tnt_4711.');
    const printed = Array.from({ length: 40 }, (_, index) => entry(index + 2, 'tool', names));
    expect(factOf(mergeLedger([], [said, ...printed]), 'tnt_4711')).toMatchObject({
      by: 'user',
      stated: true,
      uses: 1,
    });
  });

  it('keeps the line of a failed tool that says what went wrong, with the tool', () => {
    const value = '> run tests\n\nError: tide is undefined\n  at x';
    expect(mergeLedger([], [result(2, { type: 'error-text', value })])).toEqual([
      {
        kind: 'error',
        text: 'Error: tide is undefined',
        label: 'bash',
        firstSeq: 2,
        lastSeq: 2,
        uses: 1,
        by: 'tool',
      },
    ]);
    expect(mergeLedger([], [result(2, { type: 'error-text', value: '\n exit 3 \n' })])[0]?.text).toBe('exit 3');
    const listed = 'The input of "read" is not valid:\n\n- path: too long\n- line: no number';
    expect(mergeLedger([], [result(2, { type: 'error-text', value: listed })])[0]?.text).toBe(
      'The input of "read" is not valid: - path: too long',
    );
    expect(mergeLedger([], [result(2, { type: 'text', value })])).toEqual([]);
  });

  it('takes nothing from a result that brings back what was said before', () => {
    const outputs = [
      { type: 'text', value: '#3 user: the berth is berth_id in src/dock.ts' },
      { type: 'error-text', value: 'Error: fromSeq is too small' },
    ] as const;
    for (const output of outputs) {
      const plain = result(2, output);
      const part = { type: 'tool-result', toolCallId: 'c', toolName: 'bash', output } as const;
      const providerOptions = { varve: { recovered: true } };
      const recovered = { ...plain, message: { role: 'tool', content: [{ ...part, providerOptions }] } } as const;
      expect(mergeLedger([], [plain])).not.toEqual([]);
      expect(mergeLedger([], [recovered])).toEqual([]);
    }
  });

  it('keeps at most 2 000 facts: those with weight, use or recency', () => {
    const old = Array.from({ length: 3_000 }, (_, index) => `old_name_${index}`).join(' ');
    const ledger = mergeLedger(
      [],
      [
        entry(1, 'tool', old),
        entry(2, 'user', 'Mind old_name_7.'),
        ...Array.from({ length: 200 }, (_, index) => entry(index + 3, 'tool', `new_name_${index}`)),
      ],
    );
    expect(ledger).toHaveLength(2_000);
    expect(factOf(ledger, 'old_name_7')).toMatchObject({ uses: 2, by: 'user' });
    expect(ledger.filter(({ text }) => text.startsWith('new_name_'))).toHaveLength(200);
  });

  it('survives JSON that is nested a hundred thousand deep', () => {
    let input: readonly unknown[] = ['deep_name'];
    for (let depth = 0; depth < 100_000; depth++) input = [input];
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: input as readonly string[] } as const;
    const deep: MessageEntry = { ...entry(1, 'assistant', ''), message: { role: 'assistant', content: [call] } };
    expect(mergeLedger([], [deep]).map(({ text }) => text)).toEqual(['deep_name']);
  });

  const word = fc.constantFrom(
    'tide_table',
    'src/a.ts',
    'port 5432',
    'You must stop.',
    '2026-02-11',
    'fail',
    '#123',
    '\ud800',
    '\n',
  );
  const said = fc.record({
    by: fc.constantFrom('user', 'assistant', 'tool'),
    text: fc.oneof(
      fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
      fc.string({ unit: 'binary' }),
    ),
  });
  const talk = fc
    .array(said as fc.Arbitrary<{ by: Speaker; text: string }>, { maxLength: 12 })
    .map((lines) => lines.map(({ by, text }, index) => entry(index * 2 + 1, by, text)));

  it('gives the same whether it is merged at once or from compaction to compaction', () => {
    fc.assert(
      fc.property(talk, fc.nat(12), (entries, cut) => {
        const [before, after] = [entries.slice(0, cut), entries.slice(cut)];
        expect(mergeLedger(mergeLedger([], before), after)).toEqual(mergeLedger([], entries));
      }),
    );
  });

  it('gives the same when only the last merge cuts it', () => {
    fc.assert(
      fc.property(talk, fc.nat(12), fc.nat(8), (entries, cut, limit) => {
        const before = mergeLedger([], entries.slice(0, cut), { limit: Infinity });
        const expected = mergeLedger([], entries, { limit });
        expect(mergeLedger(before, entries.slice(cut), { limit })).toEqual(expected);
        expect(expected.length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('names each text once, oldest use first, with seqs of the entries it read', () => {
    fc.assert(
      fc.property(talk, (entries) => {
        const ledger = mergeLedger([], entries);
        expect(new Set(ledger.map(({ text }) => text)).size).toBe(ledger.length);
        expect(ledger.map(({ lastSeq }) => lastSeq)).toEqual(
          ledger.map(({ lastSeq }) => lastSeq).sort((a, b) => a - b),
        );
        const seqs = new Set(entries.map(({ seq }) => seq));
        for (const fact of ledger) {
          expect(seqs.has(fact.firstSeq) && seqs.has(fact.lastSeq)).toBe(true);
          expect(fact.uses).toBeLessThanOrEqual(entries.length);
          expect((fact.label ?? '').length).toBeLessThanOrEqual(60);
        }
      }),
    );
  });
});
