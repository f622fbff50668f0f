import { createHost, definePlugin, type Message, type Provenance, type Session } from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const others: readonly Provenance['kind'][] = ['system-event', 'subagent', 'inter-session', 'plugin', 'tool'];

const turns: string[] = [];
const watcher = definePlugin({
  name: 'watcher',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.shape.tapPromise('watch', (_, { turn }) => {
      turns.push(turn.id);
    });
  },
});

const filler = (text: string): Message => ({ role: 'assistant', content: `${text} ${'silt '.repeat(120)}` });

async function ask(session: Session, content: string, kind: Provenance['kind'] = 'user'): Promise<void> {
  await session.ingest({ role: 'user', content }, { provenance: { kind } });
}

describe.each(others)('what stands in the user’s place with provenance %s', (kind) => {
  test('names no turn, and is no line of the user', async () => {
    turns.length = 0;
    await using host = await createHost({ budget: { inputTokens: 2_000 }, plugins: [watcher()] });
    const session = await host.open('s');
    await ask(session, 'Sort the layers.');
    await session.assemble({ model });
    await session.ingest(filler('Sorting.'));
    await ask(session, 'An event that nobody said.', kind);
    await session.assemble({ model });
    expect(turns).toEqual(['turn-1', 'turn-1']);
    for (let turn = 0; turn < 8; turn += 1) {
      await session.ingest(filler(`Step ${turn}.`));
      await ask(session, `Event ${turn}.`, kind);
    }
    const outcome = await session.compact('overflow', { model });
    expect(outcome.entry?.range.held?.seq).toBe(1);
    expect(outcome.entry?.digest.userLog).toEqual([]);
    const prompt = await session.assemble({ model });
    expect(prompt.messages.map(({ content }) => content)).toContain('Sort the layers.');
    expect(turns.at(-1)).toBe('turn-1');
  });

  test('is not where a cut of a compaction moves to', async () => {
    await using host = await createHost({ budget: { inputTokens: 3_000 } });
    const session = await host.open('s');
    for (let turn = 0; turn < 12; turn += 1) {
      await ask(session, `Question ${turn}. ${'clay '.repeat(20)}`);
      await session.ingest(filler(`Answer ${turn}.`));
      await ask(session, `Event ${turn}.`, kind);
      await session.ingest(filler(`Noted ${turn}.`));
    }
    const { entry } = await session.compact('manual', { model });
    const [kept] = session.view.messages();
    expect(kept?.seq).toBe(entry?.range.firstKept?.seq);
    expect(kept?.provenance.kind).toBe('user');
  });
});
