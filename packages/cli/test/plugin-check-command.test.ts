import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type CapturedRun, type CaptureOptions, run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const hostile = join(import.meta.dirname, 'hostile-plugins');
const templates = join(import.meta.dirname, '..', 'templates');
/** The process that tries things out reads the sources, too. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const env = { NODE_OPTIONS: `--conditions=@varve/source --import ${tsx}` };

function check(argv: readonly string[], options: CaptureOptions = {}): Promise<CapturedRun> {
  return run(['plugin', 'check', ...argv], { env, ...options });
}

interface Card {
  readonly subject: string;
  readonly passed: number;
  readonly cases: readonly { readonly name: string; readonly status: string; readonly reason: string | null }[];
}

function cardsOf({ out }: CapturedRun): readonly Card[] {
  return (JSON.parse(out) as { readonly cards: readonly Card[] }).cards;
}

describe('varve plugin check', { timeout: 300_000 }, () => {
  it.concurrent('gives a plugin that keeps its contract a good card', async () => {
    const done = await check([join(templates, 'plugin/src/index.ts'), '--json', '--timeout', '10m']);
    expect(done).toMatchObject({ code: 0, err: '' });
    const cards = cardsOf(done);
    expect(cards).toMatchObject([{ kind: 'plugin', subject: 'acme/template', ok: true, failed: 0, notRun: 0 }]);
    expect(cards[0]?.passed).toBe(cards[0]?.cases.length);
  });

  it.concurrent('says on a terminal what a store leaves out, and fails for a deviation that nobody checks', async () => {
    const deviations = folder.file('deviations.json', JSON.stringify({ 'is blue': 'stores have no colour' }));
    const module = join(templates, 'store/src/check.ts');
    const terminal = { isTTY: true, env: { ...env, NO_COLOR: '1' } };
    const argv = [module, '--kind', 'store', '--expect-fail', deviations, '--timeout', '10m'];
    const done = await check(argv, terminal);
    expect(done.err).toMatch(/░ \d+\/\d+ /);
    expect(done.code).toBe(1);
    expect(done.out).toMatch(/^store @varve\/cli openSubject$/m);
    expect(done.out).toMatch(/^ {6}left out: /m);
    expect(done.out).toMatch(/✗ is blue\n +There is no case of that name/);
    expect(done.out).toMatch(/^ {2}\d+ passed, 1 failed, \d+ left out$/m);
  });

  it.concurrent('finds the subjects of adapters, and those of model ports where it is asked to', async () => {
    const subjects = `
      const fails = () => { throw new Error('Made by a test.'); };
      export const wire = {
        adapter: 'acme', to: () => ({}), from: fails, judge: () => [], toolNames: () => [], answer: () => ({}),
      };
      export const openPort = () => ({
        modelPort: 'acme', open: async () => ({ ref: { provider: 'acme', model: 'm' }, generate: async () => fails() }),
      });`;
    const module = folder.file('subjects.mjs', subjects);
    const found = await check([module, '--json', '--timeout', '10m']);
    expect(found.code).toBe(1);
    expect(cardsOf(found)).toMatchObject([{ kind: 'adapter', subject: 'acme', ok: false, notRun: 0 }]);
    const asked = await check([module, '--kind', 'model-port', '--json', '--timeout', '10m']);
    const [card] = cardsOf(asked);
    expect(card).toMatchObject({ kind: 'model-port', subject: 'openPort', passed: 1, ok: false, notRun: 0 });
    expect(card?.cases.find(({ status }) => status === 'passed')?.name).toBe('says which model it is');
  });

  it.concurrent.each([
    ['throws-on-import.js', [], /It threw while it was imported: TypeError: there is no \uFFFD\[31msilt here/],
    ['exits-on-import.js', [], /it ended itself with exit code 0; it said last: cannot find the clay/],
    ['throws-no-text.js', [], /It threw while it was imported: something that has no text\./],
    ['forges-on-import.js', [], /It could not be imported: it ended itself with exit code 0/],
    ['loops-on-import.js', ['--import-timeout', '500ms'], /it did not answer for 500 ms, and was killed/],
    ['hostile-taps.js', ['--export', 'endless', '--kind', 'engine'], /The plugin "acme\/endless" registers no engine/],
    [
      '../../templates/plugin/src/index.ts',
      ['--options', '{"nonsense":1}'],
      /The options are not those of "acme\/template": /,
    ],
    ['hostile-taps.js', ['--export', 'made'], /"made" is a plugin that has been made already/],
  ])('says in one line why nothing of %s could be checked', async (file, options, why) => {
    const done = await check([join(hostile, file), ...options]);
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(/^error: .+\nfix: .+\ncode: VARVE_PLUGIN_UNLOADABLE\n$/);
    expect(done.err).toMatch(why);
  });

  it.concurrent('does not wait for a process that what it checked has left behind', async () => {
    const done = await check([join(hostile, 'leaves-a-process.js')]);
    const left = /left (\d+) behind/.exec(done.err)?.[1];
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(/It could not be imported: it ended itself with exit code 3; it said last: left/);
    process.kill(Number(left), 'SIGKILL');
  });

  it.concurrent('has checked nothing where the testkit has no cases', async () => {
    const kit = 'without-cases/node_modules/@varve/testkit';
    folder.folder(kit);
    folder.file(`${kit}/package.json`, '{ "type": "module", "exports": { ".": "./kit.js", "./node": "./kit.js" } }');
    folder.file(`${kit}/kit.js`, 'export const storeCases = [];');
    folder.file('without-cases/package.json', '{ "name": "without-cases", "type": "module", "exports": "./store.js" }');
    folder.file('without-cases/store.js', 'export function openNotes() {}');
    const done = await check([join(folder.path, 'without-cases'), '--kind', 'store']);
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(/has no case for it, so nothing was checked/);
  });

  it.concurrent('goes on behind a case that never gives the process back, and gives up after three', async () => {
    const done = await check([join(hostile, 'hostile-taps.js'), '--export', 'endless', '--timeout', '300ms']);
    expect(done.code).toBe(1);
    expect(done.out.match(/The process was lost: it did not answer for 600 ms, and was killed/g)?.length).toBe(3);
    expect(done.out).toMatch(/^ {2}\? \d+ cases were not run/m);
    expect(done.out).toMatch(/^ {6}see reference\/cases\/plugins#/m);
  });

  it.concurrent('stops at once when it is interrupted', async () => {
    const done = await check([join(hostile, 'loops-on-import.js')], { signal: AbortSignal.abort() });
    expect(done).toMatchObject({ code: 130, out: '', err: 'interrupted\n' });
  });

  it.each([
    [
      { 'package.json': '{ "name": "x", "exports": "./dist/index.js" }' },
      '.',
      /"x" says that its module is .*Build it/s,
    ],
    [{ 'package.json': '{ "name": "x", "exports": "../out.js" }' }, '.', /names a file outside of it/],
    [{ 'package.json': '{ "name": "x", "varve": { "kinds": 1 } }' }, '.', /varve: Unrecognized key: "kinds"/],
    [{ 'package.json': '{ "varve": { "expectFail": { "a": "" } } }' }, '.', /expectFail\.a: must say why/],
    [{ 'package.json': '{ nonsense' }, '.', /cannot be read as JSON/],
    [{ 'read.me': '' }, '.', /has no package\.json/],
    [{}, 'no-such-package', /There is no file, folder or installed package/],
  ] as const)('says what is wrong with the package %j', async (files, target, why) => {
    const cwd = folder.folder(`package-${Math.abs(JSON.stringify(files).length)}`);
    for (const [name, text] of Object.entries(files)) folder.file(join(cwd.slice(folder.path.length + 1), name), text);
    const done = await check([target], { cwd });
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(why);
  });

  it('refuses options that it does not understand', async () => {
    for (const argv of [
      ['--kind', 'cat'],
      ['--options', '{'],
      ['--timeout', 'soon'],
      ['--expect-fail', 'nowhere'],
    ]) {
      expect((await check(['.', ...argv], { cwd: join(templates, '..') })).code).toBe(2);
    }
  });
});
