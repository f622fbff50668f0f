// node --conditions=@varve/source --import tsx plugins/recall/example.ts
import { createHost } from '@varve/core';
import { recall } from '@varve/plugin-recall';

const model = { provider: 'example', model: 'example-1' };
let now = Date.UTC(2026, 0, 1);

await using host = await createHost({
  clock: { now: () => now, after: () => () => undefined },
  budget: { inputTokens: 2_000 },
  plugins: [recall({ mode: 'quality' })],
});
const session = await host.open('example');

const layers = ['clay', 'silt', 'sand', 'peat', 'gravel'];
for (let core = 1; core <= 80; core += 1) {
  const layer = core === 17 ? 'a thin layer of volcanic ash' : `mostly ${layers[core % layers.length]}`;
  await session.ingest({ role: 'user', content: `Core ${core}, from the north shore of the lake: ${layer}.` });
  await session.ingest({ role: 'assistant', content: 'Noted.' });
  now += 6 * 3_600_000;
}

const { messages, tokens } = await session.assemble({ model, query: 'In which core was the ash of the volcano?' });
const recalled = String(messages.at(-1)?.content).split('\n');
console.log(`${tokens} tokens, ${recalled.length - 2} lines recalled, among them:`);
console.log(recalled.find((line) => line.includes('ash')));
const grep = session.tools().find(({ name }) => name === 'recall_grep');
console.log(await grep?.execute({ pattern: 'ash' }, { toolCallId: '1', signal: new AbortController().signal }));
