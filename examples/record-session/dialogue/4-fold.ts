import { bash, edit, read, run, type Turn, write } from '../dialogue.ts';

const inOrder = `      before = stateBefore(visibleFromSeq);
      entries = entries.filter((entry) => entry.seq >= visibleFromSeq);
`;
const swapped = `      entries = entries.filter((entry) => entry.seq >= visibleFromSeq);
      before = stateBefore(visibleFromSeq);
`;

/** Second day, morning: a bug that the developer made overnight is found, explained and held by a test. */
export const fold: readonly Turn[] = [
  {
    after: '2026-03-03T08:47:00Z',
    meanwhile: [edit('packages/core/src/journal/fold.ts', { oldText: inOrder, newText: swapped })],
    user: 'Morning. Last night I swapped two lines in fold.ts to make trim() cheaper: it now lets go of the old entries first, so that the rest has less to go through. Since then I see something odd. A setting made at the start of a session is gone after the second compaction and a restart, while the running session still has it. All tests of core are green. Find out why, fix nothing yet.',
    steps: [
      [
        bash(
          'cd packages/core/src && sha256sum fold.ts hooks.ts guard.ts ../../../pnpm-lock.yaml | sed "s/^\\(.\\{12\\}\\)[0-9a-f]*/\\1/"',
          {
            keep: { foldHashNow: /^([0-9a-f]{12}) {2}fold\.ts/m },
            expect: [/fold\.ts/],
          },
        ),
        read('packages/core/src/journal/fold.ts'),
        read('packages/core/src/journal/carried-state.ts'),
      ],
      [
        'Only fold.ts differs. Who calls trim, and when is the checkpoint made?',
        bash(
          "grep -rn 'trim()\\|stateBefore(\\|checkpointFor(' packages/core/src/journal/fold.ts packages/core/src/session/session-journal.ts",
        ),
        read('packages/core/src/session/session-journal.ts'),
        write('scratch/two-compactions.ts', 'two-compactions.ts'),
      ],
      [
        run('scratch/two-compactions.ts', {
          expect: [
            /first compaction: compacted\n.*"zh"\}\n.*checkpoint on record \{"language":"zh"\}/,
            /second compaction: compacted\n.*"zh"\}\n.*checkpoint on record \{\}/,
            /after a restart +\{\}/,
          ],
        }),
        bash("grep -n 'before = stateBefore' packages/core/src/journal/fold.ts", { keep: { trimLine: /^(\d+):/ } }),
      ],
      [
        `Reproduced, and this is why. fold.ts is {{foldHashNow}}, yesterday it was {{foldHash}}; hooks.ts, guard.ts and the lock file are as they were.

- \`stateBefore(seq)\` reduces the entries **before** seq (packages/core/src/journal/fold.ts:{{trimLine}} calls it). After your swap these are no longer there, so nothing is reduced and \`before\` stays as it was.
- The running session keeps its own \`state\`, so it shows no damage.
- The first checkpoint is made before trim() runs: right. The second one starts from the stale \`before\`: the setting is not in it.

So the second checkpoint is wrong on record. A restart only makes it visible.`,
      ],
    ],
  },
  {
    after: 5,
    user: 'Are you sure it is not the store? It hands out what it was given, but does it?',
    steps: [
      [
        'Let me ask the journal itself: fold all entries, fold the tail, compare. And the store once more.',
        write('scratch/everything.ts', 'everything.ts'),
        read('packages/core/src/journal/memory-store.ts', { offset: 80, limit: 45 }),
      ],
      [
        run('scratch/everything.ts', {
          expect: [/fold\(everything\).*\n?.*zh/, /fold\(tail\)\.state\.settings +\{\}/],
        }),
      ],
      [
        `Sure. Entry 1 is the setting and it is in the journal; folding everything finds it. Folding the tail does not, because the tail begins with a checkpoint that came from fold.ts and was stored as it was given.

This is the law of docs/explanation/strata.md, broken: the tail must give what everything gives.`,
      ],
    ],
  },
  {
    after: 4,
    user: 'Hundreds of tests in core and not one is red. The documentation even claims a property test for that law. Where is it?',
    steps: [
      [
        bash('vitest run --project packages/core', { keep: { coreTests: /Tests +(\d+) passed/ } }),
        bash("grep -rn 'a property test holds' -A 1 docs/explanation/strata.md", { keep: { claimLine: /^(\d+):/ } }),
        bash("grep -rln 'fast-check' packages/core/test | sort"),
        bash("grep -rnE '\\bfold\\(' packages/core/test --include=*.ts; true", { expect: [/^\(no output\)$/] }),
      ],
      [
        'Green indeed. I want to see what the sessions of these tests go through.',
        read('packages/core/test/session.test.ts', { offset: 1, limit: 120 }),
        read('packages/testkit/src/stores/tail-cases.ts', { offset: 1, limit: 105 }),
        bash("grep -rn 'compact(' packages/core/test/*.ts | wc -l; grep -rln 'compact(' packages/core/test | sort"),
      ],
      [
        `It does not exist. docs/explanation/strata.md:{{claimLine}} claims it, and no test of core calls \`fold\`.

{{coreTests}} tests pass because each looks at a part: the store gives back the checkpoint it got, the session behaves while it runs. Your bug needs both compactions **and** a second reader of the same journal.`,
      ],
    ],
  },
  {
    after: 2,
    user: 'Then write it.',
    steps: [
      [
        'Random steps of a session, then fold both ways and compare. With a fixed seed, so that all of us see the same run.',
        write('packages/core/test/fold.test.ts', 'fold-law.ts'),
      ],
      [
        bash('vitest run --project packages/core packages/core/test/fold.test.ts', {
          keep: {
            sessions: /sessions: (\d+),/,
            once: /with a compaction: (\d+),/,
            twice: /with two or more: (\d+)/,
          },
          expect: [/1 passed/, /with two or more: 0/],
        }),
      ],
      [
        'Green, and that is worth nothing: of {{sessions}} sessions {{once}} had a compaction and {{twice}} had two or more. The generator talks too little. More talk, more compactions, longer sessions.',
        edit('packages/core/test/fold.test.ts', {
          oldText: `const step = fc.constantFrom<Step[]>('say', 'set', 'note', 'send', 'compact', 'undo');
const steps = fc.array(step, { maxLength: 16 });
`,
          newText: `const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Step>('say') },
  { weight: 3, arbitrary: fc.constant<Step>('compact') },
  { weight: 3, arbitrary: fc.constantFrom<Step[]>('set', 'note', 'send', 'undo') },
);
const steps = fc.array(step, { maxLength: 40 });
`,
        }),
      ],
      [
        bash('vitest run --project packages/core packages/core/test/fold.test.ts', {
          fails: true,
          keep: { counterexample: /Counterexample: \[\[(.*)\]\]/ },
          expect: [/Property failed after/],
        }),
      ],
      [
        `Now it is red, with your bug in six words: ${'{{counterexample}}'}. It is in packages/core/test/fold.test.ts.

What I take from it: a property test should say how often it saw the case it is there for. Ours prints that line.`,
      ],
    ],
  },
  {
    after: 6,
    user: 'Explain the counterexample to me as if I had not had coffee. I have not.',
    steps: [
      [
        `You keep a diary. When it gets thick, you write one page "what I know so far", put it in front, and move the old pages to the cellar.

- set: you note "speak Chinese".
- say, say, compact: first summary page. You read the old pages, copy the note, **then** carry them down. Fine.
- say, compact: second summary page. With the swap you carry the pages down first and then read what is left on the desk. The note is not there, so the new page lacks it.
- You yourself still remember, so nobody notices. Tomorrow somebody else reads the diary, and does not speak Chinese.`,
      ],
    ],
  },
  {
    after: 9,
    user: 'Ha. Put the two lines back, then. The hash must be the one from yesterday.',
    steps: [
      [edit('packages/core/src/journal/fold.ts', { oldText: swapped, newText: inOrder })],
      [
        bash('sha256sum packages/core/src/journal/fold.ts | cut -c1-12', {
          keep: { foldHashAfter: /^([0-9a-f]{12})$/m },
        }),
        bash('vitest run --project packages/core packages/core/test/fold.test.ts', {
          keep: { twiceAfter: /with two or more: (\d+)/ },
          expect: [/1 passed/],
        }),
        run('scratch/two-compactions.ts', { expect: [/after a restart +\{"language":"zh"\}/] }),
      ],
      [
        `fold.ts is {{foldHashAfter}} again, as noted on 2026-03-02. The law holds, with two or more compactions in {{twiceAfter}} of the sessions, and the setting survives the restart. Shall I run all tests of core, verbose?`,
      ],
    ],
  },
  {
    after: 1,
    user: 'yes',
    steps: [
      [
        bash('vitest run --project packages/core --reporter=verbose', {
          keep: { coreTestsAfter: /Tests +(\d+) passed/ },
          expect: [/folding the tail gives what folding everything gives/],
        }),
        bash('biome check packages/core/test/fold.test.ts packages/core/src/journal/fold.ts', {
          expect: [/No fixes applied/],
        }),
      ],
      ['{{coreTestsAfter}} passed, one more than before: the law. Lint is clean.'],
    ],
  },
  {
    after: 7,
    user: 'Was the idea worth anything at all? I mean, is trim() expensive? Do not measure milliseconds on my laptop, count.',
    steps: [
      [write('scratch/trims.ts', 'trims.ts')],
      [
        run('scratch/trims.ts', {
          keep: {
            entryCount: /entries (\d+):/,
            trims: /calls of trim\(\): (\d+)/,
            most: /at each: (\d+)/,
          },
        }),
        read('packages/core/src/session/rewind/undo.ts'),
      ],
      [
        `No. A session of {{entryCount}} entries called it {{trims}} times, with {{most}} entries in memory at most. So the whole saving would have been a few thousand comparisons in an hour of conversation.

What is held is bounded because a compaction lets go of the rest. That was the point of it; it is cheap already.`,
      ],
    ],
  },
];
