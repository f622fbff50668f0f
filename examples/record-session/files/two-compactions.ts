import { createHost, memoryStore, type Session } from '@varve/core';

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const store = memoryStore();

async function talk(session: Session, from: number): Promise<void> {
  for (let number = from; number < from + 4; number += 1) {
    await session.ingest({ role: 'user', content: `Question ${number}. ${'And some more of it. '.repeat(8)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${number}. ${'And some more of it. '.repeat(8)}` });
  }
}

const host = await createHost({ store });
const session = await host.open('two');
await session.set('language', 'zh');
for (const [round, name] of ['first', 'second', 'third'].entries()) {
  await talk(session, 1 + round * 4);
  const { status } = await session.compact('manual', { model });
  const { checkpoint } = await (await store.open('two')).tail();
  console.log(`${name} compaction: ${status}`);
  console.log(`  running session      ${JSON.stringify(session.view.settings)}`);
  console.log(`  checkpoint on record ${JSON.stringify(checkpoint?.state.settings)}`);
}
await session.close();
const again = await host.open('two');
console.log(`after a restart        ${JSON.stringify(again.view.settings)}`);
