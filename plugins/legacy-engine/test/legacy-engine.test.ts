import { readFileSync } from 'node:fs';
import { type Clock, createHost, type Host, type Message, memoryStore } from '@varve/core';
import { legacyEngine } from '@varve/plugin-legacy-engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const model = { provider: 'test', model: 'test-1' };
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Time stands still; nothing expires. */
const clock: Clock = { now: () => 1_000_000, after: () => () => undefined };

const hostWithout = (): Promise<Host> =>
  createHost({ clock, random: () => 0.5, store: memoryStore(), budget: { inputTokens: 2_000 } });

const hostWith = (): Promise<Host> =>
  createHost({
    clock,
    random: () => 0.5,
    store: memoryStore(),
    budget: { inputTokens: 2_000 },
    plugins: [legacyEngine()],
    engine: 'legacy',
  });

describe('legacyEngine', () => {
  it('has the version of its package', () => {
    expect(legacyEngine().version).toBe(manifest.version);
  });

  it('refuses options', async () => {
    const plugins = [legacyEngine({ speed: 1 } as never)];
    await expect(createHost({ plugins })).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS' });
  });

  it('is only taken by hosts that ask for its id', async () => {
    await using host = await createHost({ plugins: [legacyEngine()], engine: 'legacy' });
    expect(host.plugins).toEqual([{ name: 'legacy-engine', version: manifest.version }]);
    const unknown = await createHost({ engine: 'lagecy' });
    await expect(unknown.open('s')).rejects.toMatchObject({ code: 'VARVE_ENGINE_UNKNOWN' });
  });

  it('keeps every message, in order and unchanged', async () => {
    await using host = await hostWith();
    const session = await host.open('s');
    const messages: Message[] = [
      { role: 'user', content: 'Read a.ts.' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'read', input: 'a.ts' }] },
      toolResult('1', 'const a = 1;'),
      { role: 'assistant', content: 'It holds a constant.' },
      { role: 'user', content: 'Thanks.' },
    ];
    for (const message of messages) await session.ingest(message);
    const prompt = await session.assemble({ model });
    expect(prompt.messages).toEqual(messages);
    expect(prompt.manifest.entries.map((entry) => entry.kind)).toEqual(messages.map(() => 'kept'));
    expect(session.health().ok).toBe(true);
  });

  it('compacts by the plan of core', async () => {
    const long: Message[] = Array.from({ length: 12 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `${index}: ${'clay and silt, '.repeat(40)}`,
    }));
    const [withEngine, without] = [
      await run(await hostWith(), [...long, 'compact', 'assemble']),
      await run(await hostWithout(), [...long, 'compact', 'assemble']),
    ];
    expect(withEngine).toEqual(without);
    expect(withEngine.at(-2)).toMatchObject({ status: 'compacted', entry: { by: { plugin: 'core' } } });
  });

  it('gives the prompts and compactions of a host without engine', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        expect(await run(await hostWith(), steps)).toEqual(await run(await hostWithout(), steps));
      }),
      { numRuns: 60 },
    );
  });
});

type Step = Message | 'assemble' | 'compact';

const words = fc.array(fc.constantFrom('varve', 'clay', 'silt', '粘土', 'src/lake.ts:12', '\n'), { maxLength: 300 });
const text = words.map((each) => each.join(' '));
const callId = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>('assemble', 'compact'),
  text.map((content): Step => ({ role: 'user', content })),
  text.map((content): Step => ({ role: 'assistant', content })),
  callId.map((toolCallId): Step => {
    return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'read', input: {} }] };
  }),
  fc.tuple(callId, text).map(([id, value]): Step => toolResult(id, value)),
);

function toolResult(toolCallId: string, value: string): Message {
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value } }],
  };
}

/** What a host answers to the steps; an error is an answer, by its code. */
async function run(host: Host, steps: readonly Step[]): Promise<readonly unknown[]> {
  const session = await host.open('s');
  const answers: unknown[] = [];
  for (const each of steps) {
    const answer =
      each === 'assemble'
        ? session.assemble({ model })
        : each === 'compact'
          ? session.compact('manual', { model })
          : session.ingest(each);
    answers.push(await answer.catch((error: { code: string }) => error.code));
  }
  expect(session.health().ok).toBe(true);
  await host.close();
  return answers;
}
