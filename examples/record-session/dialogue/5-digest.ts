import { bash, read, run, type Turn, write } from '../dialogue.ts';

/** Second day, late morning: what is left of a conversation after a compaction, and who decides that. */
export const digest: readonly Turn[] = [
  {
    after: 26,
    user: 'Coffee had. For the talk I need one picture more: what is left of a conversation like ours after a compaction? Make a small one with our own sentences and show me the text of the summary as a model would get it.',
    steps: [
      [
        read('packages/core/src/digest/digest.ts'),
        read('packages/core/src/digest/render-digest.ts'),
        read('packages/core/src/digest/ledger.ts'),
        read('packages/core/src/digest/fact-lines.ts'),
        read('packages/core/src/digest/shorten-text.ts'),
      ],
      [write('scratch/digest.ts', 'digest.ts')],
      [
        run('scratch/digest.ts', {
          keep: { before: /compacted: (\d+) tokens before/, after: /before, (\d+) after/ },
          expect: [/pnpm-lock\.yaml/, /No, not shape but ingest/, /48713/, /2026-03-12/],
        }),
      ],
      [
        `{{before}} tokens became {{after}}, without any model:

- the task with the date, your correction and "Never touch pnpm-lock.yaml" in your own words;
- port 48713 with the words before it, the paths, and the error of the tool that failed;
- the newest messages behind it, untouched.

The text is in the output above; it is a pure function of the journal (packages/core/src/digest/render-digest.ts).`,
      ],
    ],
  },
  {
    after: 3,
    user: 'Why does it keep lines such as "go on, part 9"? They say nothing.',
    steps: [
      [
        read('packages/core/src/digest/user-log.ts'),
        read('packages/core/src/digest/statements.ts'),
        bash("grep -n 'ruleShare = ' packages/core/src/digest/user-log.ts", { keep: { ruleLine2: /^(\d+):/ } }),
      ],
      [
        `Because they are the newest. The order of choice (packages/core/src/digest/user-log.ts):

1. the newest line,
2. rules and corrections, in up to 60 % of the room (:{{ruleLine2}}),
3. everything else from new to old, while there is room.

Here there was room left. In a tight prompt they go first, and the rules stay: "never", "no, not X but Y" and their Chinese counterparts are recognised in packages/core/src/digest/statements.ts.`,
      ],
    ],
  },
  {
    after: 4,
    user: 'And which names and numbers does it see in a text? Take some of ours, with a bit of Chinese around them.',
    steps: [
      [
        read('packages/core/src/digest/identifiers.ts'),
        read('packages/core/src/digest/identifier-kind.ts'),
        write('scratch/identifiers.ts', 'identifiers.ts'),
      ],
      [
        run('scratch/identifiers.ts {{foldHash}}', {
          expect: [
            /^number +48713$/m,
            /^constant +VARVE_PLUGIN_OPTIONS$/m,
            /^path +docs\/guides\/write-a-plugin\.md$/m,
            /^url +ada@example\.org$/m,
          ],
        }),
      ],
      [
        `The date, the port (also the one inside the Chinese sentence, once), paths, the constant VARVE_PLUGIN_OPTIONS, the e-mail address, the build number and the version, symbols such as \`visibleFromSeq\`. Other scripts separate words, so Chinese around a path does not hide it (packages/core/src/digest/identifiers.ts).

Note what that means for us: of an e-mail address or a key that was stored, the ledger would keep a copy for ever. One more reason for \`ingest\`.`,
      ],
    ],
  },
  {
    after: 6,
    user: 'Who decides how much stays and where the cut is? One paragraph, with the numbers.',
    steps: [
      [
        read('packages/core/src/compaction/default-plan.ts'),
        read('packages/core/src/compaction/compaction.ts'),
        read('packages/core/src/session/compact/compact.ts'),
        read('packages/core/src/compaction/plan-check.ts'),
        read('packages/core/src/draft/park.ts'),
      ],
      [
        bash(
          "grep -n 'Share = \\|userMessageReach = \\|leastMaskedTokens = ' packages/core/src/compaction/default-plan.ts",
          {
            expect: [/userLogShare = 0\.15/, /ledgerShare = 0\.15/, /proseShare = 0\.15/],
            keep: { sharesLine: /^(\d+):const userLogShare/m, maskLine: /^(\d+):const leastMaskedTokens/m },
          },
        ),
        bash("grep -n 'const ladder' -A 5 packages/core/src/session/compact/compact.ts", {
          keep: { ladderLine: /^(\d+):/ },
        }),
      ],
      [
        `The plan (packages/core/src/compaction/default-plan.ts). Of the room above the fixed part, 15 % each go to the user's lines, the ledger and, with a model, the prose (:{{sharesLine}}); the rest is the newest messages. The cut is where no tool call is parted from its result, if possible at a user message. In what stays, results of more than 60 tokens that are older than two answers are masked (:{{maskLine}}). If that is not small enough, half of it is tried, then core's own plan with shortened results (packages/core/src/session/compact/compact.ts:{{ladderLine}}).`,
      ],
    ],
  },
  {
    after: 2,
    user: 'go on',
    steps: [
      [
        'Then the last piece: how the visible messages and that summary become a draft, and what keeps calls and results together.',
        read('packages/core/src/draft/first-draft.ts'),
        read('packages/core/src/draft/thread.ts'),
      ],
      [
        bash("grep -n 'interruptedText\\|orphan-result\\|close-open-call' packages/core/src/draft/thread.ts", {
          keep: { openLine: /^(\d+):const interruptedText/m },
        }),
        bash("grep -rn 'orphan' packages/core/test/*.ts | head -5; true"),
      ],
      [
        `packages/core/src/draft/first-draft.ts puts it together: system, summary, the messages that stay, state. packages/core/src/draft/thread.ts closes the pairs: a call without a result gets one that says so (:{{openLine}}), a result without a call becomes plain text. Nothing of that is written to the journal.

That is the whole way: ingest, journal, fold, draft, prompt. For the talk I would draw just these five.`,
      ],
    ],
  },
];
