import { chmod, rm, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readTranscript } from '@varve/adapters/transcripts';
import { type ErrorCode, messageSchema, VarveError } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flatLine, line, message, typedLine, value } from './hostile-lines.ts';
import { allOf, inFile, kindsOf, linesOf, messagesOf, recordsIn } from './in-file.ts';

const user = { role: 'user', content: 'hello' };
const claudeLine = { type: 'user', uuid: 'u', sessionId: 's', message: user };
const openAiCall = { role: 'assistant', content: null, tool_calls: [{ function: { name: 'read', arguments: '{}' } }] };
const anthropicCall = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
const flatToolLine = { role: 'tool', name: 'read', output: 'ok' };
const typedUser = { type: 'user', id: 'a', parentId: null, content: 'hello' };
const piHeader = { type: 'session', id: 's', cwd: '/w' };
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

async function expectError(reading: Promise<unknown>, code: ErrorCode): Promise<void> {
  const error: unknown = await reading.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  if (!VarveError.is(error)) throw error;
  expect({ code: error.code, message: error.message, fix: error.fix }).toEqual({
    code,
    message: expect.stringMatching(/^".*\.$/s),
    fix: expect.stringMatching(/^[A-Z].*\.$/),
  });
}

describe('a file that is no transcript', () => {
  const files: [what: string, content: string | Uint8Array, code: ErrorCode][] = [
    ['no bytes', '', 'VARVE_TRANSCRIPT_EMPTY'],
    ['white space', ' \r\n\n\t\n', 'VARVE_TRANSCRIPT_EMPTY'],
    ['a byte order mark', '\uFEFF', 'VARVE_TRANSCRIPT_EMPTY'],
    ['a header alone', linesOf(piHeader), 'VARVE_TRANSCRIPT_EMPTY'],
    ['lines without messages', linesOf({ type: 'summary', leafUuid: 'x' }), 'VARVE_TRANSCRIPT_EMPTY'],
    ['text', 'Dear diary,\n', 'VARVE_TRANSCRIPT_FORMAT'],
    ['numbers', '1\n2\n', 'VARVE_TRANSCRIPT_FORMAT'],
    ['bytes', new Uint8Array([0, 1, 2, 255, 10, 0]), 'VARVE_TRANSCRIPT_FORMAT'],
    ['a picture', bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0, 0]), 'VARVE_TRANSCRIPT_FORMAT'],
    ['text in UTF-16', Buffer.from(`\uFEFF${linesOf(user)}`, 'utf16le'), 'VARVE_TRANSCRIPT_FORMAT'],
    ['an empty array', '[]', 'VARVE_TRANSCRIPT_FORMAT'],
    ['an empty object', '{}', 'VARVE_TRANSCRIPT_FORMAT'],
    ['an array of numbers', '[1, 2]', 'VARVE_TRANSCRIPT_FORMAT'],
    ['half an array', '[{"role":"user","content":"x"},', 'VARVE_TRANSCRIPT_FORMAT'],
    ['half an object', '{"messages": [{"role":"us', 'VARVE_TRANSCRIPT_FORMAT'],
    ['a configuration', JSON.stringify({ name: 'x', version: '1' }, null, 2), 'VARVE_TRANSCRIPT_FORMAT'],
    ['other JSON Lines', linesOf({ id: 1, question: 'why' }, { id: 2 }), 'VARVE_TRANSCRIPT_FORMAT'],
    ['conversations of another form', JSON.stringify([{ messages: [{ message: 'x' }] }]), 'VARVE_TRANSCRIPT_FORMAT'],
    ['an array nested beyond reason', '['.repeat(100_000) + ']'.repeat(100_000), 'VARVE_TRANSCRIPT_FORMAT'],
  ];

  it.each(files)('is one clear error: %s', async (_, content, code) => {
    await expectError(recordsIn(content), code);
  });

  it('says that it is binary', async () => {
    await expect(recordsIn(new Uint8Array([1, 0, 2]))).rejects.toThrow('binary');
  });

  it('cannot be a directory, or missing', async () => {
    const path = await inFile('x');
    await expectError(readTranscript(dirname(path)), 'VARVE_TRANSCRIPT_UNREADABLE');
    await expectError(readTranscript(join(dirname(path), 'nothing')), 'VARVE_TRANSCRIPT_UNREADABLE');
    await expectError(readTranscript('/dev/null'), 'VARVE_TRANSCRIPT_UNREADABLE');
  });

  it('cannot be one without permission', async (context) => {
    if (process.getuid?.() === 0) context.skip('the superuser may read everything');
    const path = await inFile(linesOf(user));
    await chmod(path, 0);
    await expectError(readTranscript(path), 'VARVE_TRANSCRIPT_UNREADABLE');
  });

  it('cannot vanish while it is read', async () => {
    const path = await inFile(linesOf(user));
    const transcript = await readTranscript(path);
    await rm(path);
    await expectError(allOf(transcript.records()), 'VARVE_TRANSCRIPT_UNREADABLE');
  });

  it.each([
    ['an array', '[{"role":"user","content":"'],
    ['an object', '{"messages":[{"role":"user","content":"'],
    ['an object with messages of a line each', '{"messages": [\n{"role":"user","content":"x"}\n, {},\n{},\n'],
    ['an object over many lines', '{\n  "history": [\n    {"role": "user", "content": "x"}\n'],
  ])('cannot be one document of more than 100 MB: %s', async (_, beginning) => {
    const path = await inFile(beginning);
    // A sparse file: the size without the bytes.
    await truncate(path, 101 * 1024 * 1024);
    await expectError(readTranscript(path), 'VARVE_TRANSCRIPT_TOO_LARGE');
  });
});

describe('a damaged file', () => {
  it('loses the line that it ends in, and no other', async () => {
    const content = linesOf(claudeLine, claudeLine) + JSON.stringify(claudeLine).slice(0, 40);
    const records = await recordsIn(content);
    expect(kindsOf(records)).toEqual(['user', 'user', 'damaged']);
    expect(records[2]).toMatchObject({ line: 3, reason: expect.stringContaining('ends inside this line') });
  });

  it('is used to its last line without an end', async () => {
    expect(kindsOf(await recordsIn(linesOf(user) + JSON.stringify(user)))).toEqual(['user', 'user']);
  });

  it('shows a line in the middle, or at the beginning, that is no JSON', async () => {
    const content = `{"type":"us\n${linesOf(claudeLine)}%%%\n${linesOf(claudeLine)}`;
    const records = await recordsIn(content);
    expect(kindsOf(records)).toEqual(['damaged', 'user', 'damaged', 'user']);
    expect(records.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
  });

  it('is used where bytes are not UTF-8, and says so', async () => {
    const line = bytes('{"role":"user","content":"a', [0xff, 0xfe], 'b"}\n');
    const records = await recordsIn(line);
    expect(kindsOf(records)).toEqual(['damaged', 'user']);
    expect(messagesOf(records)[0]?.message.content).toEqual([{ type: 'text', text: 'a\uFFFD\uFFFDb' }]);
    const document = await recordsIn(bytes('[', [...line], ']'));
    expect(kindsOf(document)).toEqual(['user', 'damaged']);
  });

  it('loses lines that are nested beyond reason', async () => {
    const deep = `{"type":"user","x":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}\n`;
    expect(kindsOf(await recordsIn(linesOf(claudeLine) + deep))).toEqual(['user', 'damaged']);
  });

  it('is read with a byte order mark, carriage returns, blank lines and separators in texts', async () => {
    const odd = { ...user, content: 'a\u2028b\u0085c' };
    const content = `\uFEFF\n${linesOf(user).replace('\n', '\r\n')}\r\n \n${linesOf(odd)}`;
    const records = await recordsIn(content);
    expect(kindsOf(records)).toEqual(['user', 'user']);
    expect(records.map(({ line }) => line)).toEqual([2, 5]);
    expect(messagesOf(records)[1]?.message.content).toEqual([{ type: 'text', text: odd.content }]);
  });

  it('may hold a result of 10 MB', async () => {
    const long = 'x'.repeat(10 * 1024 * 1024);
    const result = {
      ...claudeLine,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: long }] },
    };
    const [first] = messagesOf(await recordsIn(linesOf(result)));
    expect(first?.message.content[0]).toMatchObject({ output: { value: long } });
  });
});

describe('a hostile file', () => {
  it('cannot reach prototypes', async () => {
    const line =
      '{"type":"user","uuid":"u","__proto__":{"isMeta":true},"message":{"role":"user","content":[{"type":"text","text":"a","__proto__":{"x":1}}]}}\n';
    const [message] = messagesOf(await recordsIn(line));
    expect(message).not.toHaveProperty('provenance');
    expect(Object.hasOwn(Object.prototype, 'isMeta')).toBe(false);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'cannot use the name %s against the reader',
    async (name) => {
      const lines = linesOf(
        claudeLine,
        { type: name, subtype: name },
        {
          ...claudeLine,
          type: 'assistant',
          message: { id: name, role: name, model: name, stop_reason: name, content: [{ type: name }] },
        },
        { ...claudeLine, type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', id: name, name }] } },
        { ...claudeLine, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: name }] } },
      );
      const messages = messagesOf(await recordsIn(lines)).map(({ message }) => message);
      expect(messages.every((message) => isValid(message))).toBe(true);
      expect(messages.at(-1)?.content).toMatchObject([{ toolCallId: name, toolName: name }]);
    },
  );

  it.each([
    ['pi', piHeader, line],
    ['claude-code', claudeLine, line],
    ['openai-messages', openAiCall, message],
    ['anthropic-messages', anthropicCall, message],
    ['flat-lines', flatToolLine, fc.oneof(message, flatLine)],
    ['typed-lines', typedUser, typedLine],
  ])(
    'never breaks the reader, which gives valid messages with names of their own: %s',
    async (format, first, lines) => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(lines, value), { maxLength: 12 }), async (values) => {
          const path = await inFile(
            linesOf(first, ...values, format === 'pi' ? { type: 'message', message: user } : first),
          );
          const transcript = await readTranscript(path);
          expect(transcript.format).toBe(format);
          const records = await allOf(transcript.records());
          const messages = messagesOf(records);
          for (const { message: one } of messages) expect(messageSchema.safeParse(one).error).toBeUndefined();
          expect(new Set(messages.map(({ key }) => key)).size).toBe(messages.length);
          expect(JSON.parse(JSON.stringify(records))).toEqual(
            JSON.parse(JSON.stringify(await allOf(transcript.records()))),
          );
        }),
        { numRuns: 200 },
      );
    },
  );
});

function isValid(message: unknown): boolean {
  return messageSchema.safeParse(message).success;
}
