import { API_VERSION, createHost, definePlugin, type PluginFactory, VarveError } from '@varve/core';
import { expect, it } from 'vitest';
import { z } from 'zod';

// Plugins as third parties have built them for other versions of the plugin API: JavaScript that nothing here compiles,
// so that what it calls stays what was there when it was built.

type Notes = PluginFactory<{ readonly title?: unknown }>;

async function built(name: string): Promise<Notes> {
  const { notes } = (await import(`./built-plugins/${name}/index.js`)) as { readonly notes: Notes };
  return notes;
}

it.each(['notes-for-1-0', 'notes-for-0-9-and-1'])(
  'a plugin that takes this version of the API works: %s',
  async (name) => {
    const notes = await built(name);
    await using host = await createHost({ plugins: [notes({ title: 'Rivers' })] });
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'What settles last?' });
    const { system } = await session.assemble({ model: { provider: 'test', model: 'm' } });
    expect(system.map(({ text }) => text).join('\n')).toContain('Silt settles last.');
    expect(session.health().ok).toBe(true);
    await expect(createHost({ plugins: [notes({ title: 7 })] })).rejects.toMatchObject({
      code: 'VARVE_PLUGIN_OPTIONS',
    });
  },
);

it.each([
  ['notes-for-0-9', '^0.9.0', 'Install a newer "acme/notes-for-0-9".'],
  ['notes-for-1-9', '^1.9.0', 'Install a newer @varve/core, or an older version of the plugin.'],
])('a plugin that needs another version of the API is refused, and says what helps: %s', async (name, range, fix) => {
  const ran: string[] = [];
  const other = definePlugin({
    name: 'acme/other',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: () => void ran.push('started'),
  });
  const notes = await built(name);
  const error: unknown = await createHost({ plugins: [other(), notes()] }).catch((thrown: unknown) => thrown);
  expect(VarveError.is(error)).toBe(true);
  const { code, message, fix: told } = error as VarveError;
  expect({ code, told }).toEqual({ code: 'VARVE_PLUGIN_API', told: fix });
  expect(message).toContain(`acme/${name}@`);
  expect(message).toContain(`needs plugin API ${range}, this host provides ${API_VERSION}`);
  // Nothing was begun that would have to be ended.
  expect(ran).toEqual([]);
});
