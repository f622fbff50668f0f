import { createHost, type Message, type Usage } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { describe, expect, it } from 'vitest';
import { user, words } from './messages.ts';
import { model, openTalk } from './open-talk.ts';
import { scriptedPort } from './scripted-port.ts';

describe('a session that has used more than a window in all', () => {
  it('is not compacted while its prompt is small', async () => {
    await using talk = await openTalk({ plugins: [summaryCompaction()], budget: { inputTokens: 4_000 } });
    let used = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      const { tokens } = talk.session.pressure({ model });
      const usage: Usage = { inputTokens: tokens + 40, outputTokens: 10 };
      const port = scriptedPort(() => words('Yes', 20), { usage: () => usage });
      const record = await talk.session.turn({ message: user(words('More', 30)), model: port });
      expect(record.compactions).toEqual([]);
      used += record.usage.inputTokens;
    }
    expect(used).toBeGreaterThan(40_000);
    expect(talk.session.info().counters.compactions).toBe(0);
    expect(talk.session.pressure({ model }).level).toBe('none');
  });
});

describe('a provider that reports nothing', () => {
  it('does not keep a session from being compacted in time: the estimate decides', async () => {
    await using talk = await openTalk({ plugins: [summaryCompaction()], budget: { inputTokens: 2_000 } });
    for (let turn = 0; turn < 30; turn += 1) {
      const port = scriptedPort(() => words('Yes', 120));
      const record = await talk.session.turn({ message: user(words(`Question ${turn}`, 60)), model: port });
      expect(record.overflowsRecovered).toBe(0);
      const dropped = (await talk.ask()).manifest.entries.filter(({ kind }) => kind === 'dropped');
      expect(dropped).toEqual([]);
    }
    const { compactions } = talk.session.info().counters;
    expect(compactions).toBeGreaterThanOrEqual(2);
    expect(compactions).toBeLessThan(10);
  });

  it('and fails at every call does not either', async () => {
    await using talk = await openTalk({ plugins: [summaryCompaction()], budget: { inputTokens: 2_000 } });
    const failing = scriptedPort(() => {
      throw new Error('The provider is down.');
    });
    for (let turn = 0; turn < 30; turn += 1) {
      const message = user(words(`Question ${turn}`, 120));
      await expect(talk.session.turn({ message, model: failing })).rejects.toMatchObject({
        code: 'VARVE_MODEL_FAILED',
      });
    }
    const text = JSON.stringify(failing.requests.at(-1)?.prompt.messages);
    expect(text).toContain('Question 29 clay');
    const answered = await talk.session.turn({ message: user('Are you back?'), model: scriptedPort(() => 'Yes.') });
    expect(answered.text).toBe('Yes.');
  });
});

describe('base64', () => {
  const data = `iVBORw0KGgoAAAANSUhEUgAABQAAAAMACAYAAAC6uhUN${'qL9x4TzKc0Wm+/7d'.repeat(40_000)}`;

  it('is no text in an image, and is text in a text', async () => {
    await using host = await createHost();
    const sizeOf = async (id: string, message: Message): Promise<number> =>
      (await (await host.open(id)).ingest(message)).tokens.n;
    const part = { type: 'image', image: data, mediaType: 'image/png' } as const;
    const output = { type: 'content', value: [part] } as const;
    const shown = await sizeOf('image', { role: 'user', content: [part] });
    const inResult = await sizeOf('result', {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'screenshot', output }],
    });
    const asText = await sizeOf('text', user(data));
    for (const tokens of [shown, inResult]) {
      expect(tokens).toBeGreaterThanOrEqual(1_000);
      expect(tokens).toBeLessThanOrEqual(6_000);
    }
    expect(asText).toBeGreaterThan(data.length / 4);
  });
});
