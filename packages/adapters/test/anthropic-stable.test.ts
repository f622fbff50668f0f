import { toAnthropic } from '@varve/adapters/anthropic';
import { createHost, type Message } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'anthropic', model: 'test' };

/** The blocks of a body without cache marks, in order. */
function blocksOf(body: ReturnType<typeof toAnthropic>): readonly string[] {
  return body.messages.flatMap(({ role, content }) =>
    content.map((block) => JSON.stringify([role, { ...block, cache_control: undefined }])),
  );
}

test.each<readonly [string, readonly Message[]]>([
  [
    'ends in white space',
    [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: 'First. \n' },
    ],
  ],
  [
    'begins with the model',
    [
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Hi.' },
    ],
  ],
])('sends blocks again as they were when a conversation %s', async (_, messages) => {
  await using host = await createHost();
  const session = await host.open('s');
  let before: readonly string[] = [];
  for (const message of [...messages, { role: 'assistant', content: 'Next.' } as const]) {
    if (before.length === 0 && message.role === 'user') {
      await session.ingest(message); // nobody asks a model before the first word
      continue;
    }
    const { messages: sent } = toAnthropic(await session.assemble({ model }), { model: model.model });
    const now = blocksOf({ model: '', max_tokens: 1, messages: sent });
    expect(now.slice(0, before.length)).toEqual(before);
    before = now;
    await session.ingest(message);
  }
});
