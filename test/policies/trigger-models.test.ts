import { createHost, type ModelPort } from '@varve/core';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { createSessions, type Received } from '@varve/sessions';
import { expect, it } from 'vitest';

const names = { small: 'test/small' };

function portOf(model: string): ModelPort | null {
  if (model !== 'test/large' && model !== 'test/small') return null;
  return {
    ref: { provider: 'test', model: model.slice('test/'.length) },
    generate: async () => ({ message: { role: 'assistant', content: model, stop: 'stop' }, usage: null }),
  };
}

it('a trigger and /model choose the same models, however they are written, and the conversations are told them once', async () => {
  await using host = await createHost({ plugins: [resetPolicy({ mode: 'none' })] });
  await using sessions = createSessions({
    host,
    models: { defaultModel: 'test/large', names, port: ({ model }) => portOf(model) },
  });
  let said = 0;
  const say = (text: string): Promise<Received> => {
    said += 1;
    const inbound = { channel: 'telegram', chatType: 'direct', peer: '1', messageId: `m${said}`, text } as const;
    return sessions.receive({ ...inbound, addressed: 'any', sender: { id: '1', role: 'owner' } });
  };
  for (const name of ['small', 'SMALL', 'test/small', 'test:small', 'TEST:Small']) {
    expect((await say(`/new ${name} Hello!`)).reply?.text).toBe('test/small');
    expect((await say('/model default')).command?.data).toEqual({ model: 'test/large', chosen: false });
    expect((await say(`/model ${name}`)).command?.data).toEqual({ model: 'test/small', chosen: true });
  }
  expect((await say('/new test/huge')).command?.data).toMatchObject({ error: 'unknown-model' });
  expect((await say('/model test/huge')).command?.data).toMatchObject({ error: 'unknown-model' });
});
