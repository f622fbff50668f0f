import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, edit, read, run, type Turn, write } from '../dialogue.ts';

const deployLog = readFileSync(join(import.meta.dirname, '../files/deploy.log'), 'utf8').trimEnd();

/** First day, morning: a plugin is understood, written and broken. */
export const redactor: readonly Turn[] = [
  {
    after: 0,
    user: `Good morning. We need the example plugin for the documentation: a redactor. It takes API keys and e-mail addresses out of messages. At most 20 lines, in examples/redactor/redactor.ts, with a main.ts beside it that one can run and that shows it works. I present it on 2026-03-12, so it must be right, and it must be readable from the last row.

Three rules for everything we do here. Never touch pnpm-lock.yaml, others are working on it. Answer in short, I read you on a phone half of the time. And what you say about our code comes with file and line, so that I can check.

Start with reading. Change nothing yet.`,
    steps: [
      [
        "I'll begin with the page that says how a message travels, and the guide that says which hook does what.",
        read('ARCHITECTURE.md'),
        read('docs/guides/write-a-plugin.md'),
      ],
      [
        'Now the contract itself, and who uses it already.',
        read('packages/core/src/plugins/hooks.ts'),
        read('packages/core/src/plugins/plugin.ts'),
        bash("grep -rn 'tapPromise(' packages/*/src plugins/*/src packages/*/test plugins/*/test | sort", {
          expect: [/hooks\.shape\.tapPromise/],
        }),
        bash("grep -n 'latest stage' docs/guides/write-a-plugin.md", { keep: { latest: /^(\d+):/ } }),
      ],
      [
        read('docs/explanation/strata.md'),
        read('packages/core/src/session/session.ts'),
        bash('wc -l packages/core/src/*.ts | sort -n | tail -30'),
      ],
      [
        `Read. My proposal, in short:

- Hook \`shape\`. The guide says to pick the latest stage that can do the job (docs/guides/write-a-plugin.md:{{latest}}), and \`shape\` can rewrite texts.
- The edit is sticky: recorded once, then applied to every later prompt, so caches are not rewritten again and again.
- Options: a strict zod schema with the patterns.

Shall I write it that way?`,
      ],
    ],
  },
  {
    after: 3,
    user: 'No, not `shape` but `ingest`. `shape` changes what is sent; the journal would still hold the key, for ever, and so would every backup of it. Look at what happens before an entry is appended.',
    steps: [
      [
        'You are right: what was said is never changed afterwards, so what must not be kept must not get in. Reading the way in.',
        read('packages/core/src/session/ingest.ts'),
        read('packages/core/src/plugins/guard.ts'),
        bash('grep -n "hook: \'ingest\'\\|journal.append(" packages/core/src/session/ingest.ts', {
          keep: { hookLine: /^(\d+):.*hook/m, appendLine: /^(\d+):.*append/m },
        }),
      ],
      [
        bash("grep -n 'ingest: { kind' packages/core/src/plugins/hooks.ts", { keep: { ruleLine: /^(\d+):/ } }),
        bash("grep -n 'const same = ' packages/core/src/plugins/guard.ts", { keep: { sameLine: /^(\d+):/ } }),
        read('packages/core/src/session/session-runtime.ts', { offset: 1, limit: 70 }),
        read('packages/core/test/plugins.test.ts', { offset: 180, limit: 150 }),
      ],
      [
        `\`ingest\` it is, and it fits better than I thought:

- packages/core/src/session/ingest.ts:{{hookLine}} runs the hook, :{{appendLine}} appends what came out of it. There is no other way for a message into the journal.
- packages/core/src/plugins/hooks.ts:{{ruleLine}}: a waterfall, 1 s, and on failure the call fails. A redactor that breaks stores nothing.
- packages/core/src/plugins/guard.ts:{{sameLine}}: role and tool call ids must come out as they went in. Texts may change.

I was wrong to read "latest stage" as the only rule. Shall I look up which parts of a message can carry a secret?`,
      ],
    ],
  },
  {
    after: 2,
    user: 'yes',
    steps: [
      [
        read('packages/core/src/message.ts'),
        read('packages/core/src/tokens/texts-of-message.ts'),
        bash("grep -n 'export function defaultProvenance' packages/core/src/message.ts", {
          keep: { provenanceLine: /^(\d+):/ },
        }),
      ],
      [
        `Where a secret can sit (packages/core/src/message.ts):

| role | where |
|---|---|
| system | \`content\`, always a string |
| user | \`content\` as a string, or \`text\` of its parts |
| assistant | texts, reasoning, and the \`input\` of tool calls |
| tool | \`value\` of the output: text, or any JSON |

User and tool are where secrets come from. The model can only repeat what it has seen, so with those two clean I would leave its own words alone. Images and files are base64; a pattern on text cannot see into them.`,
      ],
    ],
  },
  {
    after: 18,
    user: 'Good. Now write it: package.json, redactor.ts, main.ts. Keys that begin with sk- and e-mail addresses by default, the patterns are an option. Then run it.',
    steps: [
      [
        'First how a package of this workspace looks.',
        bash('ls; ls packages plugins'),
        bash("grep -n -A 6 '^catalog:' pnpm-workspace.yaml", { expect: [/zod: /] }),
        bash('cat plugins/ttl-pruning/package.json'),
        read('plugins/ttl-pruning/src/ttl-pruning.ts'),
      ],
      [
        write('examples/redactor/package.json', 'redactor-package.json'),
        write('examples/redactor/redactor.ts', 'redactor.ts'),
        write('examples/redactor/main.ts', 'main.ts'),
      ],
      [run('examples/redactor/main.ts', { fails: true, expect: [/ERR_MODULE_NOT_FOUND/] })],
      [
        `Written, but it does not run yet: \`ERR_MODULE_NOT_FOUND\`, zod is not linked into the new package.

That takes a \`pnpm install\`, and an install writes pnpm-lock.yaml, which I must not touch. Could you run it, or tell me another way?`,
      ],
    ],
  },
  {
    after: 4,
    meanwhile: ['install'],
    user: 'Right to ask. I ran the install myself, the lock file is my business. go on',
    steps: [
      [run('examples/redactor/main.ts', { expect: [/The key never reached it/] })],
      [
        bash('wc -l examples/redactor/redactor.ts', { keep: { lines: /(\d+)/ } }),
        bash('biome check examples/redactor', { expect: [/No fixes applied/] }),
      ],
      ['Runs: the prompt shows `[redacted]` twice, the key is not in the journal. {{lines}} lines, lint is clean.'],
    ],
  },
  {
    after: 35,
    user: `Try it on something uglier. This is from our deploy log, the keys are fakes:

${deployLog}

Feed it in as a tool result, the way an agent would read it.`,
    steps: [
      [write('scratch/deploy.log', 'deploy.log'), write('scratch/ingest-log.ts', 'ingest-log.ts')],
      [run('scratch/ingest-log.ts', { fails: true, expect: [/VARVE_PLUGIN_FAILED.*Bad escaped character in JSON/] })],
      [
        'The redactor broke, and core refused the message: #3 is missing, nothing half-done was stored. Now why. I replace in the JSON text, so let me see what stands there, and what happens to a key in the same place.',
        bash(
          `node -e "
const text = JSON.stringify(require('node:fs').readFileSync('scratch/deploy.log', 'utf8'));
console.log(text.slice(120, 230));
console.log(text.match(/[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+/g));
console.log(text.match(/\\bsk-[\\w-]{12,}/g));"`,
          { expect: [/ngrace\.h@example\.org/] },
        ),
        write('scratch/leak.ts', 'leak.ts'),
      ],
      [run('scratch/leak.ts', { expect: [/The key is \[redacted\]/, /The key:\\nsk-test-8Zc1/] })],
      [
        `Two bugs, one cause: I searched in JSON text, where a line break is the two characters \`\\n\`.

- Loud: \`ngrace.h@example.org\` matched with the n of the break, a lone backslash stayed, JSON.parse threw.
- Quiet, and worse: between that n and \`sk-\` there is no word boundary, so a key at the start of a line is **not** found. It would have been stored.

The fix is to replace in each string on its own, with a reviver for JSON.parse. The bug was mine; your log found it. Shall I?`,
      ],
    ],
  },
  {
    after: 2,
    user: 'yes',
    steps: [
      [
        edit(
          'examples/redactor/redactor.ts',
          {
            oldText: "      if (message.role === 'assistant') return;\n",
            newText: '',
          },
          { fails: true },
        ),
      ],
      ['Not what I wrote. Reading it again before I edit.', read('examples/redactor/redactor.ts')],
      [
        edit('examples/redactor/redactor.ts', {
          oldText: `    hooks.ingest.tapPromise('take out secrets', ({ message, provenance }) => {
      if (message.role === 'assistant') return undefined;
      return { message: JSON.parse(JSON.stringify(message).replace(secret, '[redacted]')), provenance };
    });
`,
          newText: `    const redact = (key: string, value: unknown): unknown =>
      typeof value === 'string' && key !== 'toolCallId' ? value.replace(secret, '[redacted]') : value;
    hooks.ingest.tapPromise('take out secrets', ({ message, provenance }) =>
      message.role === 'assistant' ? undefined : { message: JSON.parse(JSON.stringify(message), redact), provenance },
    );
`,
        }),
        edit('examples/redactor/main.ts', {
          oldText: '} and tell',
          newText: '}\\nand tell',
        }),
      ],
      [
        run('scratch/ingest-log.ts', { expect: [/#3 tool/, /asked by\\n\[redacted\]/] }),
        run('scratch/leak.ts', { expect: [/The key:\\n\[redacted\]/] }),
        run('examples/redactor/main.ts', { expect: [/never reached it/] }),
        bash('biome check examples/redactor && wc -l examples/redactor/redactor.ts', { expect: [/^20 /m] }),
      ],
      [
        'Fixed. All three secrets of the log are gone, the key on its own line too, and main.ts now has a line break in it, so that the example would show this bug. 20 lines exactly.',
      ],
    ],
  },
  {
    after: 12,
    user: 'And `patterns: []`? Somebody will do that. Or misspell the option, or write half a regular expression.',
    steps: [
      [write('scratch/options.ts', 'options.ts'), read('packages/core/src/plugins/resolve-plugins.ts')],
      [
        run('scratch/options.ts', {
          expect: [/VARVE_PLUGIN_OPTIONS: .*Unrecognized key: "pattern"/, /"patterns":\[\]\} +VARVE_PLUGIN_FAILED/],
        }),
      ],
      [
        'An empty list makes an empty expression, which matches everywhere, even in `role`. The schema can say no to that.',
        edit('examples/redactor/redactor.ts', {
          oldText: 'z.array(z.string()).default(secrets)',
          newText: 'z.array(z.string().min(1)).min(1).default(secrets)',
        }),
      ],
      [
        run('scratch/options.ts', {
          expect: [/"patterns":\[\]\} +VARVE_PLUGIN_OPTIONS/, /Invalid regular expression/],
        }),
        run('examples/redactor/main.ts', { expect: [/never reached it/] }),
        bash("grep -n 'plugin.apply(' packages/core/src/*.ts", { keep: { applyAt: /^([\w./-]+:\d+):/ } }),
      ],
      [
        `All of these now stop the host at start. A misspelt option and an empty list are \`VARVE_PLUGIN_OPTIONS\`, with the plugin's name and the path.

One thing to know: half an expression is a plain \`SyntaxError\` out of createHost, because {{applyAt}} calls apply without a guard. At start that is loud enough for an example; I would not spend a line on it.`,
      ],
    ],
  },
];
