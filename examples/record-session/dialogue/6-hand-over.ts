import { bash, read, run, type Turn, write } from '../dialogue.ts';

const sendOnce = `node --conditions=@varve/source --import tsx scratch/fake-model.ts > scratch/fake-model.log &
model=$!
until grep -qs 48713 scratch/fake-model.log; do sleep 0.1; done
cat scratch/fake-model.log
node --conditions=@varve/source --import tsx scratch/send.ts
kill $model`;

/** Second day, before noon: what was learnt is written down, and what was said yesterday is needed again. */
export const handOver: readonly Turn[] = [
  {
    after: 41,
    user: 'Now the README of the example. What it does and what it does not do: sessions from before, slow patterns, what the model itself says. Not longer than one screen. Then check the whole example once more: lint, types, run.',
    steps: [
      [
        read('examples/redactor/redactor.ts'),
        read('examples/redactor/main.ts'),
        bash('cat plugins/ttl-pruning/README.md'),
      ],
      [
        write('examples/redactor/README.md', 'redactor-readme.md'),
        bash('wc -l examples/redactor/README.md', { keep: { readmeLines: /(\d+)/ } }),
      ],
      [
        'It has no tsconfig yet; checking types needs one.',
        write('examples/redactor/tsconfig.json', 'redactor-tsconfig.json'),
        bash('ls examples/redactor | grep -v node_modules'),
      ],
      [
        bash('biome check examples/redactor', { expect: [/No fixes applied/] }),
        bash('tsc -b examples/redactor && echo types are fine', { expect: [/types are fine/] }),
        run('examples/redactor/main.ts', { expect: [/never reached it/] }),
      ],
      [
        'examples/redactor/README.md, {{readmeLines}} lines. "It does not" has four points: what was stored before, what the model says and names of JSON properties, secrets that are spread over two messages, and patterns that take long. Lint, types and the run are fine.',
      ],
    ],
  },
  {
    after: 11,
    user: 'I am in the meeting room with another laptop. Which port was it, and which scripts? And what do I see if I forget to start the fake model?',
    steps: [
      [
        'Port 48713 on 127.0.0.1: scratch/fake-model.ts listens, scratch/send.ts sends. Trying both ways once more, so that what I tell you is what you will see.',
        run('scratch/send.ts', { fails: true, expect: [/ECONNREFUSED/] }),
      ],
      [
        bash(sendOnce, { keep: { sent: /(sent \d+ characters, \d+ tokens)/ }, expect: [/got "Done\."/] }),
        bash("grep -c 'sk-test' scratch/wire.log; true", { expect: [/^0$/] }),
      ],
      [
        `Start \`scratch/fake-model.ts\` first, in one terminal, then \`scratch/send.ts\` in another. Forgotten: \`TypeError: fetch failed\`, cause \`ECONNREFUSED 127.0.0.1:48713\`. With it: "{{sent}}". Show scratch/wire.log; no \`sk-test\` in it.`,
      ],
    ],
  },
  {
    after: 5,
    user: 'For the slide on options: code and message for a misspelt option, letter by letter.',
    steps: [
      [
        run('scratch/options.ts | grep \'"pattern"\'', {
          keep: { optionError: /(VARVE_PLUGIN_OPTIONS: .*)$/m },
        }),
        bash("grep -n '^## VARVE_PLUGIN_OPTIONS' -A 5 docs/reference/errors.md"),
      ],
      ['`{{optionError}}`\n\nIts section is in docs/reference/errors.md.'],
    ],
  },
  {
    after: 3,
    user: '今天上午那个 fold 的问题，也请用两句中文说一下，我要发给上海的同事。不要写代码。',
    steps: [
      [
        '昨晚为了省时间，把“先归纳旧记录、再放手”的顺序颠倒了，结果第二次压缩时写下的检查点漏掉了更早的设置；正在运行的会话看不出来，重启之后才会丢。顺序已经改回（fold.ts 的哈希又是 {{foldHash}}），并且加了一条性质测试：只读尾部得到的状态，必须和读全部记录得到的一样。',
      ],
    ],
  },
  {
    after: 2,
    user: 'Did you touch the lock file, at any time?',
    steps: [
      [
        bash('sha256sum pnpm-lock.yaml | cut -c1-12', { keep: { lockHashNow: /^([0-9a-f]{12})$/m } }),
        bash('find . -newer examples/redactor/package.json -name "pnpm-*.yaml" -not -path "*/node_modules/*"; true'),
      ],
      ['No. {{lockHashNow}} now, {{lockHash}} when I noted it on 2026-03-02. The one install was yours.'],
    ],
  },
  {
    after: 6,
    user: 'Last thing: a hand-over note in scratch/hand-over.md, at most eight lines. What, where, what is open, and the date.',
    steps: [
      [
        write('scratch/hand-over.md', 'hand-over.md'),
        bash('wc -l scratch/hand-over.md; ls scratch; sha256sum packages/core/src/journal/fold.ts | cut -c1-12'),
      ],
      ['Reading it once as you will.', read('scratch/hand-over.md')],
      [
        `Done, eight lines: plugin and date (2026-03-12), port 48713 and its scripts, the two errors for the slides, the law in packages/core/test/fold.test.ts, the estimator, and fold.ts at {{foldHash}}. Open: your colleagues' review of the README.`,
      ],
    ],
  },
];
