import { bash, read, run, type Turn, write } from '../dialogue.ts';

/** The command that starts the fake model, sends one prompt to it, and ends it. */
const sendOnce = `node --conditions=@varve/source --import tsx scratch/fake-model.ts > scratch/fake-model.log &
model=$!
until grep -qs 48713 scratch/fake-model.log; do sleep 0.1; done
cat scratch/fake-model.log
node --conditions=@varve/source --import tsx scratch/send.ts
kill $model`;

/** First day, late morning: what leaves the process, what fails, and what cannot be helped. */
export const wire: readonly Turn[] = [
  {
    after: 16,
    user: 'Why are the patterns strings and not RegExp objects? A RegExp would be nicer to write.',
    steps: [
      [
        read('packages/core/src/session/host.ts'),
        read('packages/core/src/stable-hash.ts'),
        write('scratch/options-hash.ts', 'options-hash.ts'),
      ],
      [
        run('scratch/options-hash.ts', { keep: { emptyHash: /as RegExp +([0-9a-f]{8}) / } }),
        bash("grep -n 'optionsHash' packages/core/src/*.ts", { expect: [/by: runtime\.optionsHash/] }),
      ],
      [
        `Because options are data here. Each request entry names the set-up that made it by a hash of the options, and that hash is of JSON (packages/core/src/stable-hash.ts). A RegExp has no JSON: it becomes \`{}\`.

So two redactors with different RegExp patterns get the same hash, {{emptyHash}}, and nobody could tell their requests apart afterwards. With strings they differ. Strings can also come from a configuration file.`,
      ],
    ],
  },
  {
    after: 20,
    user: 'Back, sorry, that call took longer. I want to see it on the wire and not in a variable: a fake model on port 48713, loopback only, that writes down what it gets. Send it a prompt with a key in what the user says, and the log as a tool result.',
    steps: [
      [
        read('packages/adapters/src/anthropic/to-anthropic.ts'),
        read('packages/adapters/src/anthropic/blocks.ts'),
        bash("grep -n '\"./' packages/adapters/package.json"),
        bash("grep -n 'interface Prompt' -A 22 packages/core/src/prompt/prompt.ts"),
      ],
      [write('scratch/fake-model.ts', 'fake-model.ts'), write('scratch/send.ts', 'send.ts')],
      [
        'First without the fake model, to be sure that the script really talks to that port.',
        run('scratch/send.ts', { fails: true, expect: [/ECONNREFUSED 127\.0\.0\.1:48713|ECONNREFUSED/] }),
      ],
      ['`ECONNREFUSED`, as it should be. Now with it.', bash(sendOnce, { expect: [/got "Done\."/] })],
      [
        bash('cat scratch/wire.log', { expect: [/\[redacted\]/] }),
        bash("grep -c 'sk-test' scratch/wire.log; grep -o '\\[redacted\\]' scratch/wire.log | wc -l; true", {
          expect: [/^0\n4$/],
        }),
      ],
      [
        'On the wire: four times `[redacted]`, not one `sk-test`. The log is in scratch/wire.log; scratch/fake-model.ts listens on 127.0.0.1:48713 and scratch/send.ts sends. Next I would show what happens when the redactor itself fails. Shall I?',
      ],
    ],
  },
  {
    after: 3,
    user: 'go on',
    steps: [
      [write('scratch/nothing-stored.ts', 'nothing-stored.ts'), read('packages/core/src/errors.ts')],
      [
        run('scratch/nothing-stored.ts', {
          expect: [/late: VARVE_PLUGIN_FAILED/, /refuse: VARVE_INGEST_REFUSED/, /entries in the journal: 1/],
        }),
        bash('grep -n "onFailure === \'skip\'" packages/core/src/plugins/guard.ts', { keep: { skipLine: /^(\d+):/ } }),
      ],
      [
        `Late, broken, or changing the role: \`VARVE_PLUGIN_FAILED\`. Refusing on purpose: \`VARVE_INGEST_REFUSED\`, passed on as it is. In all four cases nothing was stored; of five messages only the fine one is in the journal.

And three failures in a row do not switch the redactor off: the breaker counts only for hooks that may be skipped (packages/core/src/plugins/guard.ts:{{skipLine}}).`,
      ],
    ],
  },
  {
    after: 22,
    user: 'What about sessions that were told a key before the plugin was installed? Can it be taken out of the journal, in memory and on disk?',
    steps: [
      [
        read('packages/core/src/journal/store.ts'),
        read('packages/core/src/journal/memory-store.ts'),
        bash('ls packages/stores/src packages/stores/src/jsonl'),
        bash(
          "grep -rn 'never changed\\|never removed\\|append-only' ARCHITECTURE.md packages/core/src docs/explanation | sort",
        ),
      ],
      [
        read('packages/stores/src/jsonl/journal-line.ts'),
        read('packages/stores/src/jsonl/jsonl-journal.ts'),
        read('packages/stores/src/jsonl/journal-file.ts'),
        read('packages/core/src/journal/entry.ts', { offset: 1, limit: 75 }),
        bash("grep -n 'append(entries\\|tail()\\|read(range\\|get(seqs\\|close()' packages/core/src/journal/store.ts"),
      ],
      [
        `No, and on purpose. A journal has \`append\`, \`tail\`, \`read\`, \`get\` and \`close\`, and nothing that changes a line (packages/core/src/journal/store.ts). On disk a changed line would also be found out: each one carries a checksum (packages/stores/src/jsonl/journal-line.ts).

What one can do: revoke the key, which is right anyway, and begin a new session. A \`shape\` plugin with a sticky edit hides the old text from later prompts, but it stays in the file. That was my first proposal, so there is a use for it after all.`,
      ],
    ],
  },
  {
    after: 4,
    user: 'Then that must be in the README of the example. Later. Other question: can a slow regular expression block everybody? There is a deadline of 1 s.',
    steps: [
      [
        'The deadline is a timer, and a regular expression never gives way to one. Looking at that place again, and trying it.',
        read('packages/core/src/plugins/guard.ts', { offset: 72, limit: 60 }),
        write('scratch/slow-pattern.ts', 'slow-pattern.ts'),
      ],
      [
        run('scratch/slow-pattern.ts', { expect: [/it took longer/, /fired 0 times/] }),
        bash("grep -n 'neither hang' ARCHITECTURE.md", { keep: { hangLine: /^(\d+):/ } }),
      ],
      [
        `Yes. With the pattern \`(x+x+)+y\` and thirty x, the tap took longer than its second, a timer beside it did not fire once, and the message was stored all the same: the tap had finished before its deadline could be noticed.

So ARCHITECTURE.md:{{hangLine}} ("can neither hang nor break a turn") holds for everything that awaits, not for a loop. No library in the same thread can do better; a worker could. I would say it in the README in one sentence.`,
      ],
    ],
  },
  {
    after: 14,
    user: 'Agreed, one sentence. Last thing before lunch: note the hashes of fold.ts, hooks.ts, guard.ts and the lock file, 12 digits each. I will work on fold tonight, and tomorrow I want to see what is not as it was.',
    steps: [
      [
        'Hashing is no touching. I also read fold.ts once, so that I know it as it is now.',
        bash(
          'cd packages/core/src && sha256sum fold.ts hooks.ts guard.ts ../../../pnpm-lock.yaml | sed "s/^\\(.\\{12\\}\\)[0-9a-f]*/\\1/"',
          {
            keep: {
              foldHash: /^([0-9a-f]{12}) {2}fold\.ts/m,
              hooksHash: /^([0-9a-f]{12}) {2}hooks\.ts/m,
              guardHash: /^([0-9a-f]{12}) {2}guard\.ts/m,
              lockHash: /^([0-9a-f]{12}) {2}.*pnpm-lock/m,
            },
          },
        ),
        read('packages/core/src/journal/fold.ts'),
      ],
      [
        `2026-03-02, sha256, first 12 digits:

- fold.ts {{foldHash}}
- hooks.ts {{hooksHash}}
- guard.ts {{guardHash}}
- pnpm-lock.yaml {{lockHash}}`,
      ],
    ],
  },
];
