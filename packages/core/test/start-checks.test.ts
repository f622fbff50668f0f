import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';

type Core = typeof import('@varve/core');
type Definition = Parameters<Core['definePlugin']>[0];

const base = { version: '1.2.3', apiVersion: '^1.0.0', apply: () => undefined };

/** A plugin without options, with what the case changes. */
function plugin(
  core: Core,
  name: string,
  changes: Partial<Definition> = {},
): ReturnType<ReturnType<Core['definePlugin']>> {
  return core.definePlugin({ name, options: z.strictObject({}), ...base, ...changes })();
}

/** Starts a host and gives what it says: what is wrong, and how to put it right. */
async function start(make: (core: Core) => readonly unknown[]): Promise<string> {
  const core = await import('@varve/core');
  try {
    const host = await core.createHost({ plugins: make(core) as never });
    await host.close();
    return 'started';
  } catch (error) {
    if (!core.VarveError.is(error)) throw error;
    return `${error.code}\n${error.message}\n→ ${error.fix}`;
  }
}

beforeEach(() => {
  vi.resetModules();
});
afterAll(() => {
  vi.doUnmock('../src/version.ts');
});

describe('what a host says when a plugin', () => {
  test('needs a newer API', async () => {
    expect(await start((core) => [plugin(core, 'tide', { apiVersion: '^2.0.0' })])).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_API
      Plugin "tide@1.2.3" needs plugin API ^2.0.0, this host provides 1.0.0.
      → Install a newer @varve/core, or an older version of the plugin."
    `);
  });
  test('was written for an older API', async () => {
    expect(await start((core) => [plugin(core, 'tide', { apiVersion: '^0.9.0' })])).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_API
      Plugin "tide@1.2.3" needs plugin API ^0.9.0, this host provides 1.0.0.
      → Install a newer "tide"."
    `);
  });
  test('has an apiVersion that is no range', async () => {
    expect(await start((core) => [plugin(core, 'tide', { apiVersion: 'workspace:^1.0.0' })])).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_API
      Plugin "tide@1.2.3": its apiVersion, "workspace:^1.0.0", is no range.
      → Write a semver range such as "^1.0.0". Prefixes such as \`workspace:\` belong into package.json alone."
    `);
  });
  test('is given an option that it does not have', async () => {
    const make = (core: Core): unknown[] => [
      core.definePlugin({ name: 'tide', ...base, options: z.strictObject({ hours: z.number().default(6) }) })({
        huors: 7,
        hours: 'six',
      } as never),
    ];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_OPTIONS
      Options of plugin "tide": hours: Invalid input: expected number, received string; (root): Unrecognized key: "huors".
      → Correct the options of "tide" where it is put into the plugins array."
    `);
  });
  test('requires another one that requires it', async () => {
    const make = (core: Core): unknown[] => [
      plugin(core, 'ebb', { requires: ['flow'] }),
      plugin(core, 'flow', { requires: ['ebb'] }),
    ];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_CYCLE
      Plugins demand to run after each other: ebb → flow → ebb ("ebb" requires "flow"; "flow" requires "ebb").
      → Remove one of these demands; \`after\` is enough where a plugin works without the other."
    `);
  });
  test('demands a place that another one demands too', async () => {
    const make = (core: Core): unknown[] => [
      plugin(core, 'ebb', { after: ['flow'] }),
      plugin(core, 'moon', { before: ['flow'], after: ['ebb'] }),
      plugin(core, 'flow'),
    ];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_CYCLE
      Plugins demand to run after each other: ebb → flow → moon → ebb ("ebb" is after "flow"; "moon" is before "flow"; "moon" is after "ebb").
      → Remove one of these demands; \`after\` is enough where a plugin works without the other."
    `);
  });
  test('was made by another copy of core', async () => {
    const make = (core: Core): unknown[] => [{ ...plugin(core, 'tide'), madeBy: Symbol('another copy') }];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_CORE_DUPLICATE
      Plugin "tide" was made by another copy of @varve/core, whose drafts this one does not know.
      → Make @varve/core a peer dependency of the plugin, and install one version: \`npm ls @varve/core\` lists them."
    `);
  });
  test('has an asynchronous apply', async () => {
    const make = (core: Core): unknown[] => [plugin(core, 'tide', { apply: (async () => undefined) as never })];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_INVALID
      Plugin "tide": apply must be synchronous, so that all its taps are there when the host has started.
      → Tap hooks at once; do slow work inside taps."
    `);
  });
  test('cannot start', async () => {
    const make = (core: Core): unknown[] => [
      plugin(core, 'tide', {
        apply: () => {
          throw new Error('no moon');
        },
      }),
    ];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_FAILED
      Plugin "tide" could not start: no moon
      → Fix or remove the plugin "tide"."
    `);
  });
  test('has no name', async () => {
    const make = (core: Core): unknown[] => [plugin(core, 'ebb'), plugin(core, undefined as never)];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_INVALID
      Value 2 of the plugins array is not a plugin: it has no name.
      → Make plugins with definePlugin({ name, version, apiVersion, options, apply })."
    `);
  });
  test('is something else', async () => {
    expect(await start(() => [{ name: 'tide', setup: () => undefined }])).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_INVALID
      Value 1 of the plugins array, "tide", is not a plugin: it has no version, no apiVersion, no options, no apply.
      → Make plugins with definePlugin({ name, version, apiVersion, options, apply })."
    `);
  });
  test('was not called', async () => {
    const make = (core: Core): unknown[] => [core.definePlugin({ name: 'tide', ...base, options: z.strictObject({}) })];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_INVALID
      Value 1 of the plugins array is a function, where a plugin should stand.
      → Call it with its options: plugins: [ttlPruning()] instead of plugins: [ttlPruning]."
    `);
  });
  test('has a name that core keeps', async () => {
    expect(await start((core) => [plugin(core, 'core')])).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_INVALID
      A plugin may not be named "core": core keeps that name.
      → Choose another name, such as "acme/core"."
    `);
  });
  test('has the name of another', async () => {
    const make = (core: Core): unknown[] => [plugin(core, 'tide'), plugin(core, 'tide', { version: '2.0.0' })];
    expect(await start(make)).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_DUPLICATE
      There are two plugins named "tide", 1.2.3 and 2.0.0: records and verdicts could not tell them apart.
      → Remove one of them from the plugins array; put its options into the other."
    `);
  });
  test('requires one that is not there', async () => {
    expect(await start((core) => [plugin(core, 'tide', { requires: ['moon'] })])).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_MISSING
      Plugin "tide" requires the plugin "moon", which is not there.
      → Install the package that has "moon" and add it to the plugins array, at any place."
    `);
  });
});

describe('a host of the plugin API 1.1.0-beta.1', () => {
  const startThere = async (apiVersion: string): Promise<string> => {
    vi.doMock('../src/version.ts', () => ({ API_VERSION: '1.1.0-beta.1' }));
    return start((core) => [plugin(core, 'tide', { apiVersion })]);
  };

  test.each(['^1.0.0', '>=1 <2', '1.x', '^1.1.0-beta.0'])('takes a plugin for %s', async (apiVersion) => {
    expect(await startThere(apiVersion)).toBe('started');
  });

  test('refuses a plugin for what comes after the beta', async () => {
    expect(await startThere('^1.1.0')).toMatchInlineSnapshot(`
      "VARVE_PLUGIN_API
      Plugin "tide@1.2.3" needs plugin API ^1.1.0, this host provides 1.1.0-beta.1.
      → Install a newer @varve/core, or an older version of the plugin."
    `);
  });
});
