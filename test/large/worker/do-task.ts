import { join } from 'node:path';
import { createHost, type Journal } from '@varve/core';
import { recall } from '@varve/plugin-recall';
import { jsonlStore } from '@varve/stores/jsonl';
import { seededRandom } from '@varve/testkit';
import { largeEntryId, needle } from '../large-journal.ts';
import type { LargeJob, LargeTask } from '../said.ts';
import { runCommand } from './run-command.ts';

/** What came of a task: what was found, and what is wrong with it. */
export interface TaskResult {
  readonly found: string;
  readonly faults: readonly string[];
}

const model = { provider: 'test', model: 'large' };

/** Entries that are asked for one by one, in some order. */
const asked = 1_000;

/** Does what a job asks for. */
export function doTask(job: LargeJob): Promise<TaskResult> {
  return tasks[job.task](job);
}

const tasks: Readonly<Record<LargeTask, (job: LargeJob) => Promise<TaskResult>>> = {
  wake: ({ journal: { root, sessionId, lastSeq } }) =>
    withHost(root, async (host) => {
      const session = await host.open(sessionId);
      const seq = session.view.messages().at(-1)?.seq;
      return result(`${session.view.messages().length} messages`, seq === lastSeq ? [] : [`the last seq is ${seq}`]);
    }),
  open: ({ journal: { root, sessionId } }) =>
    withHost(root, async (host) => {
      const session = await host.open(sessionId);
      const { messages, tokens } = await session.assemble({ model, dryRun: true });
      return result(
        `a prompt of ${messages.length} messages and ${tokens} tokens`,
        messages.length > 100 ? [] : ['few'],
      );
    }),
  list: ({ journal: { root, sessionId } }) => command(['sessions', 'list', '--root', root, '--text', sessionId], 2),
  show: ({ journal: { root, sessionId, lastSeq } }) =>
    command(['sessions', 'show', sessionId, '--root', root, '--json'], 1, `"entries":${lastSeq}`),
  tail: ({ journal: { root, sessionId } }) => command(['sessions', 'tail', sessionId, '--root', root], 20),
  search: ({ journal }) => searched(journal, { pattern: needle, limit: 10 }),
  'search-words': ({ journal }) => searched(journal, { query: needle, limit: 10 }),
  'get-seqs': (job) => got(job, (seq) => seq),
  'get-ids': (job) => got(job, largeEntryId),
  stream: ({ journal: { root, sessionId, lastSeq } }) =>
    withJournal(root, sessionId, async (journal) => {
      let entries = 0;
      for await (const _ of journal.read()) entries += 1;
      return result(`${entries} entries`, entries === lastSeq ? [] : [`${lastSeq} were stored`]);
    }),
  doctor: ({ journal: { root } }) => command(['doctor', '--root', root, '--plugins', 'none'], 1, ': 0 errors'),
  export: ({ journal: { root, sessionId, lastSeq } }) => {
    const out = join(root, 'exported.json');
    return command(
      ['sessions', 'export', sessionId, '--root', root, '--out', out, '--json'],
      1,
      `"lines":${lastSeq + 1}`,
    );
  },
};

function result(found: string, faults: readonly string[]): TaskResult {
  return { found, faults };
}

async function withHost<Result>(
  root: string,
  work: (host: Awaited<ReturnType<typeof createHost>>) => Promise<Result>,
  plugins: readonly ReturnType<typeof recall>[] = [],
): Promise<Result> {
  const store = jsonlStore({ root });
  const host = await createHost({ store, plugins });
  try {
    return await work(host);
  } finally {
    await host.close();
    await store[Symbol.asyncDispose]();
  }
}

async function withJournal<Result>(
  root: string,
  sessionId: string,
  work: (journal: Journal) => Promise<Result>,
): Promise<Result> {
  const store = jsonlStore({ root });
  try {
    return await work(await store.open(sessionId, { readOnly: true }));
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** Runs a command, and looks whether it has printed so many lines, and a text. */
async function command(argv: readonly string[], least: number, text = ''): Promise<TaskResult> {
  const { code, lines, end } = await runCommand(argv);
  const faults = [
    ...(code === 0 ? [] : [`it ended with ${code}: ${end.slice(-500)}`]),
    ...(lines >= least ? [] : [`it printed ${lines} lines`]),
    ...(end.replaceAll(/\s/g, '').includes(text.replaceAll(/\s/g, ''))
      ? []
      : [`it did not print "${text}": ${end.slice(-300)}`]),
  ];
  return result(lines === 1 ? 'one line' : `${lines} lines`, faults);
}

/** Asks the tool that models search with. */
async function searched(
  { root, sessionId }: LargeJob['journal'],
  input: { readonly query?: string; readonly pattern?: string; readonly limit: number },
): Promise<TaskResult> {
  return withHost(
    root,
    async (host) => {
      const session = await host.open(sessionId);
      const grep = session.tools().find(({ name }) => name === 'recall_grep');
      const output = await grep?.execute(input, { toolCallId: 'search' });
      const text = JSON.stringify(output);
      return result(`${text.split(needle).length - 1} hits`, text.includes(needle) ? [] : [text.slice(0, 300)]);
    },
    // What lies before that is only found by its characters.
    [recall({ maxChars: 4_000_000 })],
  );
}

/** Gets entries one by one, as who expands or explains them does. */
async function got(
  { journal: { root, sessionId, bulkSeq } }: LargeJob,
  nameOf: (seq: number) => number | string,
): Promise<TaskResult> {
  return withJournal(root, sessionId, async (journal) => {
    const random = seededRandom(1);
    let wrong = 0;
    for (let count = 0; count < asked; count += 1) {
      const seq = random.integer(1, bulkSeq);
      const [entry] = await journal.get([nameOf(seq)]);
      if (entry?.seq !== seq) wrong += 1;
    }
    return result(`${asked} entries`, wrong === 0 ? [] : [`${wrong} of them are missing`]);
  });
}
