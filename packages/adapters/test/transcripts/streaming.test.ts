import { type ReadProgress, readTranscript } from '@varve/adapters/transcripts';
import { VarveError } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { allOf, inFile, linesOf } from './in-file.ts';

const line = (text: string) => linesOf({ role: 'user', content: text });

describe('reading', () => {
  it('goes no further than its records are taken', async () => {
    const content = line('x'.repeat(1_000)).repeat(20_000);
    const seen: ReadProgress[] = [];
    const transcript = await readTranscript(await inFile(content), { onProgress: (bytes) => seen.push(bytes) });
    let taken = 0;
    for await (const record of transcript.records()) {
      if (record.kind === 'message') taken += 1;
      if (taken === 100) break;
    }
    expect(seen.at(-1)?.read).toBeLessThan(content.length / 20);
  });

  it('tells how far it has come, to the end', async () => {
    const content = line('x'.repeat(1_000)).repeat(500);
    const seen: ReadProgress[] = [];
    const transcript = await readTranscript(await inFile(content), { onProgress: (bytes) => seen.push(bytes) });
    expect(await allOf(transcript.records())).toHaveLength(501);
    const sizes = seen.map(({ read }) => read);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ read: content.length, total: content.length });
    expect(transcript.size).toBe(content.length);
  });

  it('can be done again, and gives the same', async () => {
    const transcript = await readTranscript(await inFile(line('a') + line('b')));
    const first = await allOf(transcript.records());
    expect(await allOf(transcript.records())).toEqual(first);
  });

  it.each([
    ['one character', 'é'],
    ['a surrogate pair', '😀'],
  ])('puts lines together that lie across pieces of the file: %s', async (_, unit) => {
    const texts = Array.from({ length: 40 }, (_unused, index) => unit.repeat(5_000 + index));
    const transcript = await readTranscript(await inFile(texts.map(line).join('')));
    const records = await allOf(transcript.records());
    const read = records.flatMap((record) => (record.kind === 'message' ? [record.message.content] : []));
    expect(read).toEqual(texts.map((text) => [{ type: 'text', text }]));
  });

  it('stops when it is aborted, before, between and during', async () => {
    const path = await inFile(line('a').repeat(10));
    const isAborted = (error: unknown) => VarveError.is(error, 'VARVE_ABORTED');
    await expect(readTranscript(path, { signal: AbortSignal.abort() })).rejects.toSatisfy(isAborted);
    const controller = new AbortController();
    const transcript = await readTranscript(path, { signal: controller.signal });
    const taken: unknown[] = [];
    const reading = (async () => {
      for await (const record of transcript.records()) {
        taken.push(record);
        if (taken.length === 3) controller.abort();
      }
    })();
    await expect(reading).rejects.toSatisfy(isAborted);
    expect(taken).toHaveLength(3);
    await expect(allOf(transcript.records())).rejects.toSatisfy(isAborted);
  });
});
