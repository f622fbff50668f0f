import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createHost } from '@varve/core';
import { describePlugin } from '@varve/testkit/node-test';
import { templatePlugin } from '../src/index.ts';

describePlugin('templatePlugin by its contract', templatePlugin);

describe('templatePlugin', () => {
  it('puts its lines into the prompt', async () => {
    await using host = await createHost({ plugins: [templatePlugin({ lines: ['Say less.'] })] });
    const session = await host.open('test');
    await session.ingest({ role: 'user', content: 'Hello.' });
    const prompt = await session.assemble({ model: { provider: 'any', model: 'any' } });
    assert.match(JSON.stringify(prompt), /Say less\./);
  });

  it('has the version of its package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    assert.equal(templatePlugin().version, version);
  });
});
