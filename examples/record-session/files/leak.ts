import { createHost } from '@varve/core';
import { redactor } from '../examples/redactor/redactor.ts';

const host = await createHost({ plugins: [redactor()] });
const session = await host.open('leak');
for (const content of ['The key is sk-test-8Zc1FAKEfakeFAKE11ym', 'The key:\nsk-test-8Zc1FAKEfakeFAKE11ym']) {
  const entry = await session.ingest({ role: 'user', content });
  console.log(JSON.stringify(entry.message.content));
}
await host.close();
