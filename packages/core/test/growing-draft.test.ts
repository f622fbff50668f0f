import {
  createHost,
  createTokenCounter,
  definePlugin,
  estimateTokens,
  type Message,
  memoryStore,
  type Prompt,
  type Provenance,
} from '@varve/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

/** One thing that happens to a session. */
type Step =
  | { readonly kind: 'user' | 'event' | 'assistant' | 'half' | 'system' | 'empty'; readonly words: number }
  | { readonly kind: 'call' | 'result'; readonly ids: readonly string[] }
  | { readonly kind: 'state' | 'edit' | 'compact' | 'undo' | 'other model' };

const ids = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('user', 'assistant', 'half', 'event'), words: fc.nat(40) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('call', 'result'), ids }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('system', 'empty'), words: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('state', 'edit', 'compact', 'undo', 'other model') }) },
);

function messageOf(one: Step, index: number): { message: Message; provenance?: Provenance } | null {
  if (one.kind === 'call') {
    const content = one.ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'read', input: {} }) as const);
    return { message: { role: 'assistant', content } };
  }
  if (one.kind === 'result') {
    const output = { type: 'text', value: `result ${index}` } as const;
    const content = one.ids.map((id) => ({ type: 'tool-result', toolCallId: id, toolName: 'read', output }) as const);
    return { message: { role: 'tool', content } };
  }
  if (!('words' in one)) return null;
  const content = `${index} ${'silt '.repeat(one.words)}`;
  if (one.kind === 'empty') return { message: { role: 'user', content: [] } };
  if (one.kind === 'event') return { message: { role: 'user', content }, provenance: { kind: 'system-event' } };
  if (one.kind === 'half') return { message: { role: 'assistant', content, stop: 'aborted' } };
  return { message: { role: one.kind, content } };
}

test('a prompt that has grown request by request is the one that is made of the whole journal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
      let edits = false;
      const shorten = definePlugin({
        name: 'shorten',
        version: '1.0.0',
        apiVersion: '^1.0.0',
        options: z.strictObject({}),
        apply: ({ hooks }) => {
          hooks.shape.tapPromise('cut', (draft) => {
            if (!edits) return undefined;
            edits = false;
            return draft.edit(({ text }) => (text.length > 30 ? text.slice(0, 20) : undefined), {
              rule: 'cut',
              sticky: true,
            });
          });
        },
      });
      const store = memoryStore();
      const options = { store, plugins: [shorten()], budget: { inputTokens: 700 } };
      const host = await createHost(options);
      const session = await host.open('s');
      let asked = model;
      for (const [index, one] of steps.entries()) {
        const said = messageOf(one, index);
        if (said !== null) await session.ingest(said.message, { provenance: said.provenance });
        if (one.kind === 'state') await session.setState('slot', `state ${index}`);
        if (one.kind === 'edit') edits = true;
        if (one.kind === 'compact') await session.compact('manual', { model: asked });
        if (one.kind === 'other model') asked = { provider: 'test', model: `test-${index}` };
        const compaction = session.view.compaction();
        if (one.kind === 'undo' && compaction !== null) await session.undo(compaction.id);
        const grown = await session.assemble({ model: asked });
        await using fresh = await createHost(options);
        await session.explain();
        const whole = await (await fresh.open('s')).assemble({ model: asked, dryRun: true });
        expect(comparable(whole)).toEqual(comparable(grown));
      }
      await host.close();
    }),
    { numRuns: 60 },
  );
});

/** What does not depend on whether the process knows the request before. */
function comparable({ system, messages, marks, tokens, manifest }: Prompt): unknown {
  const { entries, ranges, layers, madeUpTokens } = manifest;
  return { system, messages, marks, tokens, entries, ranges, layers, madeUpTokens };
}

test('messages are counted once, edited ones too, however many requests follow', async () => {
  let counted = 0;
  const inner = createTokenCounter('counting', estimateTokens);
  const counter = {
    ...inner,
    countMessage: (message: Message) => {
      counted += 1;
      return inner.countMessage(message);
    },
  };
  const shorten = definePlugin({
    name: 'shorten',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.shape.tapPromise('cut', (draft) =>
        draft.edit(({ item, text }) => ((item.seq ?? 0) <= 100 && text.length > 50 ? text.slice(0, 40) : undefined), {
          rule: 'cut',
          sticky: true,
        }),
      ),
  });
  await using host = await createHost({ tokens: counter, plugins: [shorten()] });
  const session = await host.open('s');
  for (let turn = 0; turn < 50; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}. ${'silt '.repeat(20)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${turn}. ${'silt '.repeat(20)}` });
  }
  await session.ingest({ role: 'user', content: 'Now.' });
  await session.assemble({ model });
  await session.assemble({ model });
  counted = 0;
  const requests = 40;
  for (let turn = 0; turn < requests; turn += 1) {
    await session.ingest({ role: 'assistant', content: `Step ${turn}.` });
    await session.assemble({ model });
  }
  expect(counted).toBeLessThanOrEqual(requests * 3);
});
