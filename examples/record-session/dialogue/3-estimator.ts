import { bash, read, run, type Turn, write } from '../dialogue.ts';

/** First day, afternoon: how tokens are counted, how well, and what that means for a budget. */
export const estimator: readonly Turn[] = [
  {
    after: 74,
    user: 'Different topic. Somebody will ask how we count tokens without a tokenizer. Read the estimator and the counter; of the table only the head, I do not want base64 on my screen. Then explain it in five lines.',
    steps: [
      [
        read('packages/core/src/tokens/token-estimator.ts'),
        read('packages/core/src/tokens/token-counter.ts'),
        read('packages/core/src/tokens/estimator-table.ts', { offset: 1, limit: 48 }),
      ],
      [
        bash('wc -c packages/core/src/tokens/estimator-table.ts'),
        bash("grep -n 'states: \\|classes: ' packages/core/src/tokens/estimator-table.ts", {
          keep: { states: /states: (\d+)/, classes: /classes: (\d+)/ },
        }),
      ],
      [
        `1. Each UTF-16 unit belongs to one of {{classes}} classes: vowel, digit, blank, Han character that is one token, …
2. A small machine with {{states}} states walks over the text; each pair of state and class has a weight (packages/core/src/tokens/token-estimator.ts).
3. The estimate is the sum of the weights, rounded up. No vocabulary, no search, one pass.
4. The weights were fitted to o200k; an estimate that is too low weighed double.
5. Per message 4 tokens come on top, an image is 1,600 and another file 3,000 (packages/core/src/tokens/token-counter.ts).`,
      ],
    ],
  },
  {
    after: 13,
    user: 'You forgot the lines: file and line, please, every time. Now measure it on our own repository: sources, tests, documentation, JSON. Exact count, our estimate, and the rule of thumb with 4 characters a token.',
    steps: [
      [
        bash('ls node_modules | grep token'),
        bash("grep -n 'weight += cell' packages/core/src/tokens/token-estimator.ts", {
          keep: { sumLine: /^(\d+):/ },
        }),
        bash("grep -n 'const tokensPerMessage' packages/core/src/tokens/token-counter.ts", {
          keep: { frameLine: /^(\d+):/ },
        }),
        write('scratch/measure.ts', 'measure.ts'),
      ],
      [
        run('scratch/measure.ts', {
          keep: {
            coreExact: /^core sources +\d+ +[\d,]+ +([\d,]+)/m,
            coreError: /^core sources(?: +[\d,]+){4} +(-?[\d.]+ %)/m,
            docsError: /^documentation(?: +[\d,]+){4} +(-?[\d.]+ %)/m,
            jsonError: /^JSON files(?: +[\d,]+){4} +(-?[\d.]+ %)/m,
            jsonThumb: /^JSON files(?: +[\d,]+){4} +-?[\d.]+ % +[\d,]+ +(-?[\d.]+ %)/m,
            worstFile: /(packages\/core\/src\/[\w-]+\.ts)\s*$/,
          },
        }),
      ],
      [
        `Noted, with lines from here on. For the five above: the sum is packages/core/src/tokens/token-estimator.ts:{{sumLine}}, the 4 tokens are packages/core/src/tokens/token-counter.ts:{{frameLine}}.

On our own files, error of the sum:

- core sources ({{coreExact}} tokens by o200k): {{coreError}}
- documentation: {{docsError}}
- JSON: {{jsonError}}; the rule of thumb is off by {{jsonThumb}} there

Single small files are worse, {{worstFile}} most of all; a prompt is a sum of many, where errors cancel out.`,
      ],
    ],
  },
  {
    after: 4,
    user: '那中文呢？上海的同事一定会问，他们的客户对话基本上全是中文，偶尔夹一点代码和日志。请你也实际量一下，然后用中文回答，还是要短。',
    steps: [
      [write('scratch/measure-chinese.ts', 'measure-chinese.ts')],
      [
        run('scratch/measure-chinese.ts', {
          keep: {
            proseError: /^散文.*?(-?[\d.]+ %)/m,
            proseThumb: /^散文.*?-?[\d.]+ %.*?(-?[\d.]+ %)/m,
            techError: /^技术.*?(-?[\d.]+ %)/m,
            logError: /^日志.*?(-?[\d.]+ %)/m,
            chatError: /^聊天.*?(-?[\d.]+ %)/m,
            logThumb: /^日志.*?-?[\d.]+ %.*?(-?[\d.]+ %)/m,
          },
        }),
        bash("grep -n 'wholeHan\\|splitHan' packages/core/src/tokens/token-estimator.ts", {
          keep: { hanLine: /^(\d+):/ },
        }),
      ],
      [
        `量了四种中文文本（scratch/measure-chinese.ts），以 o200k 的准确计数为基准：

- 我们的估算：技术文字 {{techError}}，日志 {{logError}}，聊天 {{chatError}}；散文偏低最多，为 {{proseError}}。
- 经验公式（汉字 ÷ 1.5，其余 ÷ 4）：每一种都偏低，散文 {{proseThumb}}，日志 {{logThumb}}。
- 原因：估算表区分“一个字就是一个 token”的常用字和会被拆开的生僻字（packages/core/src/tokens/token-estimator.ts:{{hanLine}}，wholeHan 和 splitHan），经验公式不区分，也不知道标点和数字另外计数。

结论：中文对话可以放心用默认计数器。偏低才危险，所以纯散文要多留一点余量。`,
      ],
    ],
  },
  {
    after: 47,
    user: "Good, I will forward that. Now run the estimator's own tests, verbose. I want to see which kinds of text it was held against.",
    steps: [
      [
        read('packages/core/test/token-estimator.test.ts'),
        bash('vitest run --project packages/core --reporter=verbose packages/core/test/token-estimator.test.ts', {
          keep: { kinds: /Tests +(\d+) passed/ },
          expect: [/never shrinks|is off o200k/],
        }),
        bash('grep -o \'"kind": "[^"]*"\' packages/core/test/fixtures/token-estimates.json | wc -l', {
          keep: { fixtures: /(\d+)/ },
        }),
      ],
      [
        `All {{kinds}} pass. {{fixtures}} kinds of text with a pinned count each: prose in many languages, code, JSON, logs, diffs, base64, UUIDs, mathematics. Then single strings down to half an emoji, runs without end, our own repository in contexts of 20,000 tokens (3 % too low or 6 % too high at worst), and properties such as "depends on nothing but the text".`,
      ],
    ],
  },
  {
    after: 26,
    user: 'If the estimate is 3 % too low, does a prompt of 32k still fit? Where is the margin?',
    steps: [
      [
        read('packages/core/src/budget.ts'),
        read('packages/core/src/draft/window-cut.ts'),
        write('scratch/budgets.ts', 'budgets.ts'),
      ],
      [
        run('scratch/budgets.ts', { expect: [/prompt of 32k +input 32000, hard 30400/, /VARVE_BUDGET_IMPOSSIBLE/] }),
        bash("grep -n 'Share = ' packages/core/src/budget.ts", {
          keep: { hardLine: /^(\d+):const hardShare/m },
        }),
      ],
      [
        `It fits. Core cuts and compacts at \`hard\`, which is 95 % of the budget (packages/core/src/budget.ts:{{hardLine}}): 30,400 of 32,000. Being 3 % low there is about 31,300 in truth.

Two limits, to be honest: a prompt of nothing but Chinese prose was {{proseError}}, more than those 5 %; and when the running turn alone is larger than \`hard\`, core goes up to the full budget before it gives up. Then \`safetyTokens\` is the option to set.

I can show what the cut does, request by request.`,
      ],
    ],
  },
  {
    after: 2,
    user: 'go on',
    steps: [
      [
        write('scratch/cut.ts', 'cut.ts'),
        read('packages/core/src/session/assemble.ts'),
        read('packages/core/src/prompt/to-prompt.ts'),
        read('packages/core/src/draft/draft.ts'),
        read('packages/core/src/draft/draft-operations.ts'),
      ],
      [
        run('scratch/cut.ts', { expect: [/none/] }),
        bash("grep -n 'const step = ' packages/core/src/draft/window-cut.ts", { keep: { stepLine: /^(\d+):/ } }),
      ],
      [
        `60 requests within 4,000 tokens. It grows and grows ("none": the request before is a prefix of this one), then jumps once and grows again. Between two jumps the first changed byte is \`none\`, so a prompt cache is read in full.

A sliding window would change the front on every single call. The step is \`hard\` minus \`target\` (packages/core/src/draft/window-cut.ts:{{stepLine}}).`,
      ],
    ],
  },
  {
    after: 66,
    user: 'Nice picture, I will use it. Enough for today. Where are we? Five lines.',
    steps: [
      [
        `1. examples/redactor/redactor.ts: done, 20 lines, hook \`ingest\`, tried with line breaks, bad options, failure. Demo on 2026-03-12.
2. On the wire: scratch/fake-model.ts on port 48713, scratch/send.ts; no key gets through.
3. Estimator: {{coreError}} on core, rule of thumb far too low for Chinese and JSON.
4. Open: README of the example, with two sentences on older journals and slow patterns.
5. fold.ts is {{foldHash}} tonight; pnpm-lock.yaml is untouched.`,
      ],
    ],
  },
];
