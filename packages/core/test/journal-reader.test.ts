import {
  createHost,
  definePlugin,
  type Entry,
  type HookContext,
  type Message,
  type Session,
  type ToolContext,
  VarveError,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const hello: Message = { role: 'user', content: 'hello' };

/** A plugin that runs `read` in its tool and in a tap. */
function reading(read: (context: Pick<ToolContext, 'readEntries' | 'getEntries'>) => Promise<unknown>) {
  return definePlugin({
    name: 'reading',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    tools: {
      read: {
        description: 'Reads.',
        input: z.strictObject({}),
        execute: async (_input, context) => `${await read(context)}`,
      },
    },
    apply: ({ hooks }) => hooks.shape.tapPromise('read', async (_draft, context) => void (await read(context))),
  })();
}

const callTool = (session: Session): unknown => session.tools()[0]?.execute({}, { toolCallId: 'call-1' });

describe('reading the journal from a plugin', () => {
  /** Runs `read` inside a tool and inside a tap, and gives what each said. */
  async function readBoth(
    prepare: (session: Session) => Promise<unknown>,
    read: (context: Pick<HookContext, 'readEntries' | 'getEntries'>) => Promise<unknown>,
  ): Promise<unknown[]> {
    const results: unknown[] = [];
    const plugin = reading(async (context) => results.push(await read(context)));
    const host = await createHost({ plugins: [plugin] });
    const session = await host.open('s');
    await prepare(session);
    await session.assemble({ model, dryRun: true });
    await callTool(session);
    expect(session.health().findings).toEqual([]);
    await host.close();
    return results;
  }

  async function seqsOf(entries: AsyncIterable<Entry> | Iterable<Entry>): Promise<number[]> {
    const seqs: number[] = [];
    for await (const entry of entries) seqs.push(entry.seq);
    return seqs;
  }

  const say = async (session: Session): Promise<void> => {
    for (let at = 0; at < 6; at += 1)
      await session.ingest({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at}` });
  };

  test('gives ranges and single entries, in tools and in taps', async () => {
    const results = await readBoth(say, async ({ readEntries, getEntries }) => [
      await seqsOf(readEntries()),
      await seqsOf(readEntries({ fromSeq: 3, toSeq: 4 })),
      await seqsOf(await getEntries([5, 99, 2])),
    ]);
    const expected = [
      [1, 2, 3, 4, 5, 6],
      [3, 4],
      [5, 2],
    ];
    expect(results).toEqual([expected, expected]);
  });

  test('gives nothing that was rewound', async () => {
    const prepare = async (session: Session): Promise<void> => {
      await say(session);
      const { value: second } = await session.read({ fromSeq: 2 })[Symbol.asyncIterator]().next();
      await session.moveHead(second.id, { reason: 'rewind' });
      await session.ingest(hello);
    };
    const [result] = await readBoth(prepare, async ({ readEntries, getEntries }) => [
      await seqsOf(readEntries()),
      await seqsOf(await getEntries([2, 3, 8])),
    ]);
    expect(result).toEqual([
      [1, 2, 8],
      [2, 8],
    ]);
  });

  test('refuses to hold more than 1 000 entries at once', async () => {
    const many = Array.from({ length: 1_001 }, (_, at) => at + 1);
    const codes = await readBoth(say, async ({ getEntries }) =>
      getEntries(many).catch((error: unknown) => (VarveError.is(error) ? error.code : error)),
    );
    expect(codes).toEqual(['VARVE_PLUGIN_READ', 'VARVE_PLUGIN_READ']);
  });

  test('ends with the call: what was kept of it cannot be read further, and the journal is let go of', async () => {
    let kept: AsyncIterator<Entry> | undefined;
    let reader: Pick<ToolContext, 'readEntries' | 'getEntries'> | undefined;
    const plugin = reading(async ({ readEntries, getEntries }) => {
      kept = readEntries()[Symbol.asyncIterator]();
      reader = { readEntries, getEntries };
      return (await kept.next()).value?.seq;
    });
    const host = await createHost({ plugins: [plugin] });
    const session = await host.open('s');
    await say(session);
    expect(await callTool(session)).toEqual({ type: 'text', value: '1' });
    const expired = expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' });
    await expect(kept?.next()).rejects.toThrow(expired);
    expect(() => reader?.readEntries()).toThrow(expired);
    expect(() => reader?.getEntries([1])).toThrow(expired);
    await host.close();
  });
});
