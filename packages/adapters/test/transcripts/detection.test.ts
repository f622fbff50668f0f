import { readTranscript } from '@varve/adapters/transcripts';
import { messageSchema, VarveError } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOf, inFile, linesOf, messagesOf } from './in-file.ts';
import { allSamples } from './samples.ts';

describe('the format of a file', () => {
  it.each(allSamples)('is told from what stands in it: $what', async ({ content, format, items, calls }) => {
    const transcript = await readTranscript(await inFile(content));
    expect(transcript).toMatchObject({ format, items });
    const records = await allOf(transcript.records());
    expect(messagesOf(records).filter(({ call }) => call !== undefined)).toHaveLength(calls);
    expect(records.flatMap((record) => (record.kind === 'item' ? [record.item] : []))).toEqual(
      Array.from({ length: items ?? 2 }, (_, index) => index + 1),
    );
    expect(records[0]?.kind).toBe('item');
  });

  it('is that of the first line which only one kind has, however late it comes', async () => {
    const plain = Array.from({ length: 900 }, () => ({ role: 'user', content: 'x'.repeat(500), timestamp: 1 }));
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] };
    const anthropic = await readTranscript(await inFile(linesOf(...plain, call)));
    expect(anthropic.format).toBe('anthropic-messages');
    const openAi = { role: 'tool', tool_call_id: 'a', content: 'x' };
    expect((await readTranscript(await inFile(linesOf(...plain, openAi, call)))).format).toBe('openai-messages');
    expect((await readTranscript(await inFile(linesOf(...plain)))).format).toBe('flat-lines');
  });

  it.each([
    ['typed-lines', { type: 'user', id: 'u1', parentId: null, content: 'Hello?' }],
    ['claude-code', { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Hello?' } }],
    ['openai-messages', { role: 'user', content: 'Hello?' }],
    ['pi', { type: 'message', id: 'm1', parentId: null, message: { role: 'user', content: 'Hello?' } }],
  ])('is that of what stands behind a header of pi: %s', async (format, line) => {
    const header = { type: 'session', version: 3, id: 'a', cwd: '/', timestamp: '2026-01-01T00:00:00.000Z' };
    const transcript = await readTranscript(await inFile(linesOf(header, line)));
    expect(transcript.format).toBe(format);
    expect(messagesOf(await allOf(transcript.records()))).toHaveLength(1);
  });

  it('is that of pi when there is only its header', async () => {
    const change = { type: 'model_change', provider: 'anthropic', modelId: 'claude-sonnet-4-5' };
    const header = { type: 'session', version: 3, id: 'a', cwd: '/' };
    expect((await readTranscript(await inFile(linesOf(header, change)))).format).toBe('pi');
  });

  it('is OpenAI’s when the messages say so, whatever stands beside them', async () => {
    const messages = [{ role: 'tool', tool_call_id: 'a', content: 'x' }];
    const body = JSON.stringify({ system: 'Be brief.', messages });
    expect((await readTranscript(await inFile(body))).format).toBe('openai-messages');
  });

  it('may differ between the conversations of one file; what is none is an item without messages', async () => {
    const contents = ['tau-bench', 'SWE-agent, in text, on one line', 'Anthropic, a body'].map((name) => {
      return JSON.parse(allSamples.find(({ what }) => what === name)?.content ?? '') as unknown;
    });
    const path = await inFile(JSON.stringify([7, ...contents.flat()]));
    const transcript = await readTranscript(path);
    expect(transcript).toMatchObject({ format: 'tau-bench', items: 6 });
    const records = await allOf(transcript.records());
    expect(records.slice(0, 3).map(({ kind }) => kind)).toEqual(['item', 'unknown', 'item']);
    expect(messagesOf(records).filter(({ call }) => call !== undefined)).toHaveLength(10);
    expect(messagesOf(await allOf((await readTranscript(path, { item: 6 })).records()))).toHaveLength(6);
  });
});

/** Reads everything, and fails unless every message is valid and has a name of its own, or the file is refused. */
async function readOrRefuse(content: string): Promise<void> {
  try {
    const transcript = await readTranscript(await inFile(content));
    let keys = new Set<string>();
    for await (const record of transcript.records()) {
      if (record.kind === 'item') keys = new Set();
      if (record.kind !== 'message') continue;
      expect(messageSchema.safeParse(record.message).error).toBeUndefined();
      expect(keys).not.toContain(record.key);
      keys.add(record.key);
    }
  } catch (error) {
    if (!VarveError.is(error)) throw error;
    expect(error.code).toMatch(/^VARVE_TRANSCRIPT_(FORMAT|EMPTY)$/);
  }
}

describe('a file of any kind', () => {
  it('may end anywhere', async () => {
    const cut = fc.constantFrom(...allSamples).chain(({ content }) => {
      return fc.nat({ max: content.length }).map((end) => content.slice(0, end));
    });
    await fc.assert(fc.asyncProperty(cut, readOrRefuse), { numRuns: 300 });
  });

  it('may lack any line, or have any line twice', async () => {
    const changed = fc.constantFrom(...allSamples).chain(({ content }) => {
      const lines = content.split('\n');
      return fc.array(fc.nat({ max: 2 }), { minLength: lines.length, maxLength: lines.length }).map((copies) => {
        return lines.flatMap((line, index) => Array.from({ length: copies[index] ?? 1 }, () => line)).join('\n');
      });
    });
    await fc.assert(fc.asyncProperty(changed, readOrRefuse), { numRuns: 300 });
  });

  it('may have any JSON in the place of any value', async () => {
    const values = allSamples.flatMap(({ content }) => content.split('\n').flatMap((line) => parsed(line)));
    const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('user', 'assistant', 'tool', 'ai', [], {}));
    const changed = fc.array(
      fc.constantFrom(...values).chain((value) => {
        const paths = pathsOf(value);
        return fc.tuple(fc.constantFrom(...paths), odd).map(([path, other]) => replaced(value, path, other));
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(changed, async (lines) => {
        await readOrRefuse(linesOf(...lines));
        await readOrRefuse(JSON.stringify(lines));
        await readOrRefuse(JSON.stringify(lines[0], null, 1));
      }),
      { numRuns: 300 },
    );
  });

  it('may be any JSON', async () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    await fc.assert(
      fc.asyncProperty(value, async (document) => {
        await readOrRefuse(JSON.stringify(document));
        await readOrRefuse(linesOf(document, document));
      }),
      { numRuns: 200 },
    );
  });
});

type Path = readonly (string | number)[];

function parsed(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function pathsOf(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  const below = keys.flatMap((key) =>
    pathsOf((value as Record<string | number, unknown>)[key]).map((path) => [key, ...path]),
  );
  return [[], ...below];
}

function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  const copy: Record<string | number, unknown> = structuredClone(value) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, other);
  return copy;
}
