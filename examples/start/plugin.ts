import { createHost, definePlugin } from '@varve/core';
import { strata } from '@varve/preset-strata';
import { z } from 'zod';

const houseRules = definePlugin({
  name: 'acme/house-rules',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({ rules: z.array(z.string()) }),
  apply: ({ hooks }, { rules }) => {
    const items = rules.map((text) => ({ text }));
    hooks.collect.tapPromise('add the house rules', (draft) =>
      draft.addLayer({ id: 'house-rules', role: 'system', stability: 'static', items }, 'house-rules'),
    );
  },
});

const plugins = [houseRules({ rules: ['Depths are in metres.'] }), ...strata()];
const host = await createHost({ plugins, budget: { inputTokens: 1_000 } });
const session = await host.open('the-lake');
const model = { provider: 'anthropic', model: 'claude-sonnet-5-5' };
for (let core = 1; core <= 200; core += 1) {
  await session.ingest({ role: 'user', content: `Core ${core} of the lake: ${40 + core} layers of silt and clay.` });
  await session.ingest({ role: 'assistant', content: `I noted core ${core}.` });
  await session.compact('threshold', { model }); // Does nothing until it is due.
}
await session.ingest({ role: 'user', content: 'How many layers did core 7 have?' });
const { messages, tokens, system } = await session.assemble({ model });
console.log(system[0]?.text);
console.log(`401 messages were said. The prompt has ${messages.length}, of ${tokens} tokens.`);
console.log(JSON.stringify(messages).includes('47 layers') ? 'Core 7 is in it.' : 'Core 7 is not in it.');
