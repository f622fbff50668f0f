import { relative } from 'node:path';
import vm from 'node:vm';
import { expect, it } from 'vitest';
import { runInBareContext } from './environments/bare-context.ts';
import { bundleProduct, bundleTests, root, sizesOf } from './environments/bundle-core.ts';
import { freeNames } from './environments/free-names.ts';

// `pnpm test:browser` runs the same bundle in a real browser.

/** Names of the web that core and what it needs may lean on, beside those of the language. */
const webNames = [
  ...['AbortController', 'AbortSignal', 'TextEncoder', 'URL', 'atob', 'console', 'queueMicrotask'],
  ...['setTimeout', 'clearTimeout', 'structuredClone'],
];
/** Names that a module may ask for, and use when they are there. */
const askedFor: Readonly<Record<string, string>> = {
  process: 'semver/internal/debug.js',
  navigator: 'zod/v4/core/util.js',
};
const seed = Number(process.env['VARVE_SEED'] ?? '20260302');

it('core with what it needs leans on nothing of Node', async () => {
  const { code, imports, modules } = await bundleProduct();
  expect(imports).toEqual([]);
  const language = vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as readonly string[];
  const foreign = freeNames(code).filter(({ name }) => !language.includes(name) && !webNames.includes(name));
  expect(foreign.map(({ name }) => name).sort()).toEqual(Object.keys(askedFor).sort());
  for (const { name, asked } of foreign) {
    expect(asked, `times that a module asks whether there is ${name}`).toBeGreaterThan(0);
    const users = [...modules].filter(
      ([, text]) => text.includes(name) && freeNames(text).some((free) => free.name === name),
    );
    expect(users.map(([path]) => path.replace(/^.*\/node_modules\//, ''))).toEqual([askedFor[name]]);
  }
  const own = [...modules.keys()].filter((path) => !path.includes('/node_modules/') && !path.startsWith('\0'));
  expect(own.filter((path) => !relative(root, path).startsWith('packages/core/src/'))).toEqual([]);
});

it('core fits into 160 kB of what a page loads', async () => {
  const { bytes, gzip } = sizesOf(await bundleProduct({ minify: true }));
  console.log(`@varve/core with what it needs: ${bytes} bytes minified, ${gzip} as gzip`);
  expect(gzip).toBeLessThan(160_000);
});

it('the tests of core pass where there is nothing of Node', async () => {
  const { code, leftOut } = await bundleTests();
  const { tests } = await runInBareContext(code, { codeGeneration: true, seed });
  console.log(`in a bare context: ${tests.length} tests; left out: ${leftOut.map(({ file }) => file).join(', ')}`);
  for (const { name, why } of tests.filter(({ state }) => state === 'skip')) console.log(`skipped: ${name}: ${why}`);
  expect(tests.filter(({ state }) => state === 'fail')).toEqual([]);
  expect(tests.length).toBeGreaterThan(400);
});
