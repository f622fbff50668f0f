import { createRequire } from 'node:module';
import { createHost, definePlugin } from '@varve/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

// Runs in the project "packages/core with lite-tapable" alone: see vitest.config.ts.

const ofCore = createRequire(new URL('../../packages/core/package.json', import.meta.url));

interface TapableHook {
  tapPromise(name: string, tap: () => Promise<void>): void;
  promise(): Promise<void>;
}

test('this process makes no code out of strings', () => {
  expect(() => new Function('')).toThrow(EvalError);
  // biome-ignore lint/security/noGlobalEval: that it throws is what is shown
  expect(() => globalThis.eval('1')).toThrow(EvalError);
});

test('tapable itself fails in this process', () => {
  const { AsyncSeriesHook } = ofCore('tapable') as { readonly AsyncSeriesHook: new () => TapableHook };
  const hook = new AsyncSeriesHook();
  hook.tapPromise('any', async () => undefined);
  expect(() => hook.promise()).toThrow(EvalError);
});

test('zod and core work in it', async () => {
  expect(z.strictObject({ most: z.int() }).safeParse({ most: 1 })).toMatchObject({ success: true, data: { most: 1 } });
  const seen: string[] = [];
  const watcher = definePlugin({
    name: 'watcher',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.ingest.tapPromise('watch', ({ message }) => {
        seen.push(message.role);
      });
    },
  });
  await using host = await createHost({ plugins: [watcher()] });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'hello' });
  expect(seen).toEqual(['user']);
});
