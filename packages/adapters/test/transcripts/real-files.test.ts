import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTranscript } from '@varve/adapters/transcripts';
import { messageSchema, partsOfMessage, VarveError } from '@varve/core';
import { describe, expect, it, type TestContext } from 'vitest';
import { allOf, messagesOf } from './in-file.ts';

/** Folder with transcripts of real work, which are not part of this repository. */
const { VARVE_TRANSCRIPTS_DIR: folder } = process.env;

function pathOf(name: string, context: TestContext): string {
  if (folder === undefined) return context.skip('VARVE_TRANSCRIPTS_DIR does not name a folder with transcripts');
  const path = join(folder, name);
  return existsSync(path) ? path : context.skip(`${name} is not in VARVE_TRANSCRIPTS_DIR`);
}

async function figuresOf(path: string) {
  const records = await allOf((await readTranscript(path)).records());
  const messages = messagesOf(records);
  const parts = messages.flatMap(({ message }) => partsOfMessage(message));
  const calls = messages.flatMap(({ call, message }) => (call === undefined ? [] : [{ ...call, message }]));
  return {
    calls: calls.length,
    toolCalls: parts.filter(({ type }) => type === 'tool-call').length,
    results: parts.filter(({ type }) => type === 'tool-result').length,
    aborted: calls.filter(({ stop }) => stop === 'aborted').length,
    failed: calls.filter(({ stop }) => stop === 'error').length,
    silent: calls.filter(({ message }) => message.content.length === 0).length,
    compactions: records.filter(({ kind }) => kind === 'compaction').length,
    damaged: records.filter(({ kind }) => kind === 'damaged').length,
  };
}

describe('transcripts of real work', () => {
  const nothing = { aborted: 0, failed: 0, silent: 0, compactions: 0, damaged: 0 };

  const files: [name: string, figures: Awaited<ReturnType<typeof figuresOf>>][] = [
    [
      'claude-code-spotter/258c7280-ae70-4798-800f-63464d01a85d.jsonl',
      { ...nothing, calls: 152, toolCalls: 186, results: 186, compactions: 1 },
    ],
    [
      'claude-code-spotter/4d5611e5-241a-462a-8d15-5122611a9569.jsonl',
      { ...nothing, calls: 139, toolCalls: 150, results: 150, compactions: 1 },
    ],
    [
      'pi-mono/large-session.jsonl',
      { ...nothing, calls: 453, toolCalls: 391, results: 373, aborted: 21, failed: 1, silent: 14 },
    ],
    ['tau-bench/gpt-4o-airline.json', { ...nothing, calls: 363, toolCalls: 144, results: 144 }],
    ['swe-agent/function_calling_simple.traj', { ...nothing, calls: 5, toolCalls: 5, results: 5 }],
    ['swe-agent/ctf__crypto__katy.traj', { ...nothing, calls: 18, toolCalls: 0, results: 0 }],
    ['mini-swe-agent/github_issue.traj.json', { ...nothing, calls: 10, toolCalls: 0, results: 0 }],
    [
      'agent-data-protocol/nebius_SWE-agent-trajectories.sample_raw.json',
      { ...nothing, calls: 20, toolCalls: 0, results: 0 },
    ],
  ];

  for (const [name, figures] of files) {
    it(`have the calls, tool calls and results that they have: ${name}`, async (context) => {
      expect(await figuresOf(pathOf(name, context))).toEqual(figures);
    });
  }

  it('are read, or refused with a code, and never break the reader', async (context) => {
    const files = readdirSync(pathOf('.', context), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(jsonl?|traj)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
    for (const path of files) await checkFile(path);
    expect(files).not.toEqual([]);
  });
});

async function checkFile(path: string): Promise<void> {
  try {
    const transcript = await readTranscript(path);
    const keys = new Set<string>();
    let item = 0;
    for await (const record of transcript.records()) {
      if (record.kind === 'item') item = record.item;
      if (record.kind !== 'message') continue;
      const key = `${item} ${record.key}`;
      expect(keys, path).not.toContain(key);
      keys.add(key);
      expect(messageSchema.safeParse(record.message).error, path).toBeUndefined();
    }
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_TRANSCRIPT_FORMAT')) throw error;
  }
}
