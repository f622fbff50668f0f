import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createHost } from '@varve/core';
import { describeEngine, describePlugin } from '@varve/testkit/node-test';
import { engineId, templateEngine } from '../src/index.ts';

describePlugin('the plugin by its contract', templateEngine);
describeEngine('the engine by its contract', { engine: engineId, plugin: () => templateEngine() });

describe('templateEngine', () => {
  it('leaves out the oldest exchanges where there is no room for them', async () => {
    await using host = await createHost({
      plugins: [templateEngine()],
      engine: engineId,
      budget: { inputTokens: 1_000 },
    });
    const session = await host.open('test');
    for (let number = 1; number <= 20; number += 1) {
      await session.ingest({ role: 'user', content: `Question ${number}: ${'silt and clay, '.repeat(20)}` });
      await session.ingest({ role: 'assistant', content: `Answer ${number}.` });
    }
    await session.ingest({ role: 'user', content: 'And now?' });
    const { messages } = await session.assemble({ model: { provider: 'any', model: 'any' } });
    const text = JSON.stringify(messages);
    assert.doesNotMatch(text, /Question 1:/);
    assert.match(text, /Question 20:.*And now\?/);
    assert.equal(session.health().ok, true);
  });

  it('has the version of its package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    assert.equal(templateEngine().version, version);
  });
});
