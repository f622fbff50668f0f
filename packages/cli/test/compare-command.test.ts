import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRetentionMeter } from '@varve/cli';
import type { Message, MessageEntry, Prompt } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const session = folder.file('session.jsonl', piSession({ tasks: 30 }));
const other = folder.file('other.jsonl', piSession({ tasks: 4 }));

interface Row {
  readonly file: string;
  readonly strategy: string;
  readonly plugins: readonly string[];
  readonly tokens: number;
  readonly cost: number;
  readonly costRatio: number;
  readonly failed: number;
  readonly retention: { steps: number; identifiers: number | null; lines: number | null; userWords: number | null };
}

async function compare(...argv: readonly string[]): Promise<readonly Row[]> {
  const { code, out, err } = await run(['compare', ...argv, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out).replays;
}

describe('varve compare', () => {
  it('prints a line for each strategy, with what it cost and what it kept', async () => {
    const { code, out, err } = await run(
      ['compare', session, '--budget', '6k', '--with', 'everything,window,default'],
      { isTTY: true, columns: 120, env: { NO_COLOR: '1' } },
    );
    expect(code, err).toBe(0);
    expect(out).toMatch(/^session\.jsonl: 120 requests, budget 6,000 tokens, \d+ steps with far needs$/m);
    expect(out).toMatch(/^everything .* 1\.00 ████████ /m);
    expect(out).toMatch(/^window /m);
    expect(out).toMatch(/^default /m);
    expect(out).not.toContain('\u001B');
    expect(out).toMatch(/^comp\. +compactions$/m);
    expect(out).toMatch(/^of all +cost as a share of sending everything/m);
  });

  it.each([80, 60, 40])('fits into %i columns, and explains those that it shows', async (columns) => {
    const options = { isTTY: true, columns, env: { NO_COLOR: '1' } };
    const { out } = await run(['compare', session, '--budget', '6k', '--with', 'everything,default'], options);
    const [title = '', head = '', ...lines] = out.split('\n');
    expect(title).toContain('120 requests');
    expect([head, ...lines.slice(0, 2)].filter((line) => line.length > columns)).toEqual([]);
    expect(out).not.toContain('█');
    const legend = lines.slice(3).map((line) => line.split(/ {2,}/)[0]);
    const named = head.split(/ {1,}(?!all)/).slice(1);
    expect(legend.filter((name) => name !== '')).toEqual(named);
    expect(named).toEqual(expect.arrayContaining(['of all', 'ids', 'lines', 'words']));
  });

  it('replays a file once that is named twice, and tells two of one name apart', async () => {
    mkdirSync(join(folder.path, 'elsewhere'));
    const twin = folder.file('elsewhere/session.jsonl', piSession({ tasks: 4 }));
    const files = [session, join(folder.path, '.', 'session.jsonl'), twin];
    const { out } = await run(['compare', ...files, '--with', 'window']);
    expect(out.match(/requests, budget/g)).toHaveLength(2);
    expect(out).toContain(`${session}: 120 requests`);
    expect(out).toContain(`${twin}: 16 requests`);
  });

  it('prints what there is of the other files when one is no transcript, and ends with 2', async () => {
    const bad = folder.file('bad.jsonl', 'no transcript\n');
    const { code, out, err } = await run(['compare', bad, other, '--with', 'window']);
    expect(code).toBe(2);
    expect(out).toMatch(/^other\.jsonl: 16 requests/m);
    expect(err).toContain('bad.jsonl');
    const alone = await run(['compare', bad, '--json']);
    expect({ code: alone.code, out: alone.out }).toEqual({ code: 2, out: '' });
    expect(alone.err.match(/^error: /gm)).toHaveLength(1);
  });

  it('prunes by price under the name ttl-pruning-auto', async () => {
    const [row] = await compare(session, '--budget', '6k', '--with', 'ttl-pruning-auto');
    expect(row?.plugins).toEqual([expect.stringMatching(/^ttl-pruning@/)]);
  });

  it('measures sending everything as complete, and the newest messages alone as less', async () => {
    const [everything, window, compaction] = await compare(
      ...[session, '--budget', '6k', '--with', 'everything,window,compaction'],
    );
    expect(everything).toMatchObject({ costRatio: 1, plugins: [], retention: { userWords: 1 } });
    expect(window?.tokens).toBeLessThanOrEqual(6_000);
    expect(window?.retention.userWords).toBeLessThan(0.5);
    expect(compaction?.retention.userWords).toBeGreaterThan(window?.retention.userWords ?? 1);
    expect(compaction?.cost).toBeLessThan(everything?.cost ?? 0);
  });

  it('takes several files, and plugins joined with +, in the order given', async () => {
    const rows = await compare(session, other, '--with', 'summary-compaction+ttl-pruning,window');
    expect(rows.map(({ file, strategy }) => [file, strategy])).toEqual([
      [session, 'summary-compaction+ttl-pruning'],
      [session, 'window'],
      [other, 'summary-compaction+ttl-pruning'],
      [other, 'window'],
    ]);
    expect(rows[0]?.plugins.map((name) => name.split('@')[0])).toEqual(['summary-compaction', 'ttl-pruning']);
  });

  it('gives the same figures twice', async () => {
    const argv = [session, '--budget', '6k', '--with', 'default,strata'];
    expect(await compare(...argv)).toEqual(await compare(...argv));
  });

  it('refuses strategies that it does not know, and names those that it does', async () => {
    const { code, out, err } = await run(['compare', session, '--with', 'window,magic']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('There is no strategy or plugin "magic".');
    expect(err).toContain('everything, window, pruning, compaction, default, strata');
    expect((await run(['compare', session, '--with', ' , '])).err).toContain('No strategy was named.');
    const joined = await run(['compare', session, '--with', 'everything+window']);
    expect(joined.err).toContain('"everything" is a whole strategy, and cannot be joined with +.');
    expect((await run(['compare'])).err).toContain('See varve compare --help.');
  });

  it('stops when it is interrupted', async () => {
    const { code } = await run(['compare', session], { signal: AbortSignal.abort() });
    expect(code).toBe(130);
  });
});

let seq = 0;
function entryOf(message: Message, tokens: number): MessageEntry {
  seq += 1;
  const kind = message.role === 'user' ? 'user' : 'model';
  const base = { v: 1, id: `id-${seq}`, parentId: null, seq, at: 0, type: 'message' } as const;
  return { ...base, message, provenance: { kind }, tokens: { n: tokens, by: 'test' } };
}

function promptOf(...texts: readonly string[]): Prompt {
  return { system: [], messages: texts.map((content) => ({ role: 'user', content })) } as unknown as Prompt;
}

describe('the retention of a replay', () => {
  const answer: Message = { role: 'assistant', content: 'I open src/far_file.ts now, and src/near_file.ts.' };
  const line = 'The bug is in src/far_file.ts, as the trace says.';

  function meterAfter(prompt: Prompt): ReturnType<typeof createRetentionMeter> {
    const meter = createRetentionMeter();
    meter.begin();
    meter.message(entryOf({ role: 'user', content: line }, 10));
    meter.message(entryOf({ role: 'assistant', content: 'Reading.' }, 4_000));
    meter.message(entryOf({ role: 'user', content: 'Look at src/near_file.ts, too.' }, 10));
    meter.request({ prompt, answer });
    return meter;
  }

  it('counts an identifier that was last seen 4,000 tokens before, and no nearer one', () => {
    const none = { identifiers: 0, lines: 0, userWords: null, steps: 1 };
    expect(meterAfter(promptOf('src/near_file.ts')).retention()).toEqual(none);
    expect(meterAfter(promptOf('see src/far_file.ts')).retention()).toEqual({ ...none, identifiers: 1 });
    expect(meterAfter(promptOf('before', `>> ${line}`)).retention()).toEqual({ ...none, identifiers: 1, lines: 1 });
  });

  it('has no figure where nothing was needed', () => {
    const meter = createRetentionMeter();
    meter.begin();
    meter.request({ prompt: promptOf('anything'), answer });
    expect(meter.retention()).toEqual({ steps: 0, identifiers: null, lines: null, userWords: null });
  });

  it('does not carry over what another conversation said', () => {
    const meter = meterAfter(promptOf(''));
    meter.begin();
    meter.message(entryOf({ role: 'assistant', content: 'Hello.' }, 9_000));
    meter.request({ prompt: promptOf(''), answer });
    expect(meter.retention().steps).toBe(1);
  });

  it('looks for the words of the user at every eighth request', () => {
    const meter = createRetentionMeter();
    meter.begin();
    meter.message(entryOf({ role: 'user', content: 'Never deploy on Fridays. Ask me before you delete a table.' }, 20));
    for (let request = 1; request <= 8; request += 1) {
      meter.request({ prompt: promptOf('Never deploy on Fridays.'), answer: { role: 'assistant', content: 'Yes.' } });
    }
    expect(meter.retention().userWords).toBe(0.5);
  });
});
