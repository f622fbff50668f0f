import { createHost, definePlugin, type Plugin } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

function pluginNamed(name: string): (options?: { readonly ttlMs?: number; readonly ttl?: string }) => Plugin {
  return definePlugin({
    name,
    version: '1.3.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({ ttl: z.string().optional(), ttlMs: z.number().optional() }),
    deprecated: { ttlMs: { since: '1.2.0', removal: '2.0.0', instead: 'ttl' } },
    apply: () => undefined,
  });
}

/** What hosts with the plugin warn of, one after the other, while a session of each is opened twice. */
async function warningsOf(plugin: Plugin, { hosts }: { readonly hosts: number }): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (let made = 0; made < hosts; made += 1) {
    await using host = await createHost({ plugins: [plugin] });
    host.events.on('warning', ({ text }) => warnings.push(text));
    await host.open('a');
    await host.open('b');
  }
  return warnings;
}

describe('an option that is deprecated', () => {
  it('still works, and is told of once a process, with what to use instead and until when', async () => {
    const plugin = pluginNamed('acme/aged');
    expect(await warningsOf(plugin({ ttlMs: 5 }), { hosts: 3 })).toEqual([
      'Plugin "acme/aged": option "ttlMs" is deprecated since 1.2.0, gone in 2.0.0; use "ttl".',
    ]);
  });

  it('is not told of to who does not give it', async () => {
    const plugin = pluginNamed('acme/unused');
    expect(await warningsOf(plugin({ ttl: '5m' }), { hosts: 1 })).toEqual([]);
    expect(await warningsOf(plugin(), { hosts: 1 })).toEqual([]);
  });

  it('is told of as soon as somebody listens, where nobody did at first', async () => {
    const plugin = pluginNamed('acme/unheard')({ ttlMs: 5 });
    await using deaf = await createHost({ plugins: [plugin] });
    await deaf.open('a');
    expect(await warningsOf(plugin, { hosts: 1 })).toHaveLength(1);
  });

  it('is told of for each plugin of its own', async () => {
    const texts = await warningsOf(pluginNamed('acme/first')({ ttlMs: 5 }), { hosts: 1 });
    const others = await warningsOf(pluginNamed('acme/second')({ ttlMs: 5 }), { hosts: 1 });
    expect([...texts, ...others].map((text) => /acme\/\w+/.exec(text)?.[0])).toEqual(['acme/first', 'acme/second']);
  });
});
