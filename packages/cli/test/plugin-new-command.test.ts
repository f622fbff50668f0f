import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const root = join(import.meta.dirname, '..', '..', '..');

function textsIn(place: string): Readonly<Record<string, string>> {
  const paths = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    paths.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(place.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

function versionOf(path: string): string {
  return (JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

describe('varve plugin new', () => {
  it.each(['plugin', 'engine', 'store'] as const)('makes a package of kind %s in its own name', async (kind) => {
    const name = `@acme/varve-${kind === 'plugin' ? 'old.notes' : `${kind}-old-notes`}`;
    const place = join(folder.path, kind);
    const done = await run(['plugin', 'new', name, '--kind', kind, '--folder', kind], { cwd: folder.path });
    expect(done).toMatchObject({ code: 0, err: '' });
    const texts = textsIn(place);
    expect(Object.keys(texts)).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'tsconfig.json']),
    );
    for (const path of Object.keys(texts)) expect(done.out).toContain(path);
    const all = Object.values(texts).join('\n');
    expect(all).not.toMatch(/template|"\*"/i);
    expect(texts['src/index.ts']).toContain(`oldNotes${kind.charAt(0).toUpperCase()}${kind.slice(1)}`);
    if (kind !== 'store') {
      expect(texts['src/index.ts']).toContain("'acme/old-notes'");
      expect(texts['src/index.ts']).toContain(`apiVersion: '^${API_VERSION}'`);
    }
    const manifest = JSON.parse(texts['package.json'] ?? '');
    expect(manifest).toMatchObject({
      name,
      varve: { kind },
      peerDependencies: { '@varve/core': `>=${versionOf('packages/core')} <1.0.0` },
      devDependencies: {
        '@varve/core': `^${versionOf('packages/core')}`,
        '@varve/cli': `^${versionOf('packages/cli')}`,
        '@varve/testkit': `^${versionOf('packages/testkit')}`,
      },
    });
    expect(Object.keys(manifest.peerDependencies).includes('zod')).toBe(kind !== 'store');
  });

  it.each(['plugin', 'engine', 'store'] as const)('takes a name for a %s that a template has, too', async (kind) => {
    const place = join(folder.path, `template-${kind}`);
    const name = '@acme/template-tools';
    const argv = ['plugin', 'new', name, '--kind', kind, '--folder', place];
    expect(await run(argv, { cwd: folder.path })).toMatchObject({ code: 0, err: '' });
    const all = Object.values(textsIn(place)).join('\n');
    expect(all).toContain(`# ${name}\n`);
    expect(all).toContain(`from '${name}';`);
    expect(all).not.toMatch(/tools-?tools/i);
  });

  it('compiles with what this repository compiles with', () => {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
    const template = readFileSync(join(import.meta.dirname, '../templates/every/package.template.json'), 'utf8');
    const { typescript, '@types/node': node } = JSON.parse(template).devDependencies;
    expect({ typescript, node }).toEqual({ typescript: own.typescript, node: own['@types/node'] });
  });

  it.each([
    ['../escape', /is no name of a package/],
    ['/etc/passwd', /is no name of a package/],
    ['Notes', /is no name of a package/],
    ['.notes', /is no name of a package/],
    ['@acme/../notes', /is no name of a package/],
    ['n'.repeat(215), /is no name of a package/],
    ['notes\u001b[31m', /is no name of a package/],
    ['fs', /npm does not take a package named "fs"/],
    ['node_modules', /npm does not take/],
    ['varve-recall', /"recall" is there already/],
    ['host', /"host" is there already/],
  ])('refuses the name %j with what to do about it', async (name, why) => {
    const cwd = folder.folder('refused');
    const done = await run(['plugin', 'new', name], { cwd });
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(why);
    expect(done.err).toMatch(/^fix: ./m);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('replaces nothing that is there', async () => {
    const cwd = folder.folder('taken');
    mkdirSync(join(cwd, 'varve-notes'));
    writeFileSync(join(cwd, 'varve-notes', 'mine.txt'), 'mine');
    writeFileSync(join(cwd, 'file'), 'mine');
    for (const argv of [[], ['--folder', 'file'], ['--folder', 'file/below']]) {
      const done = await run(['plugin', 'new', 'varve-notes', ...argv], { cwd });
      expect(done).toMatchObject({ code: 2, out: '' });
      expect(done.err).toMatch(/^fix: ./m);
    }
    expect(readdirSync(join(cwd, 'varve-notes'))).toEqual(['mine.txt']);
    expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('mine');
  });

  it.each(['nowhere', 'round'])('leaves a link alone that leads nowhere: %s', async (target) => {
    const cwd = folder.folder(`link-${target}`);
    symlinkSync(target, join(cwd, 'round'));
    const done = await run(['plugin', 'new', 'varve-notes', '--folder', 'round'], { cwd });
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(/is a link that leads nowhere/);
    expect(readlinkSync(join(cwd, 'round'))).toBe(target);
    expect(readdirSync(cwd)).toEqual(['round']);
  });

  it('takes no empty text for a folder', async () => {
    const cwd = folder.folder('no-folder');
    const done = await run(['plugin', 'new', 'varve-notes', '--folder', ''], { cwd });
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(/--folder names no folder/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('makes a folder below one that is not there, and takes an empty one', async () => {
    const cwd = folder.folder('below');
    mkdirSync(join(cwd, 'empty'));
    for (const place of ['a/b/c', 'empty']) {
      const done = await run(['plugin', 'new', 'varve-notes', '--folder', place, '--json'], { cwd });
      expect(done).toMatchObject({ code: 0, err: '' });
      const { folder: made, files } = JSON.parse(done.out) as { readonly folder: string; readonly files: string[] };
      expect(made).toBe(join(cwd, place));
      for (const file of files) expect(existsSync(join(made, file))).toBe(true);
    }
  });

  it('makes no identifier that is not one, whatever the name', async () => {
    const cwd = folder.folder('drawn');
    const part = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,12}$/);
    let number = 0;
    await fc.assert(
      fc.asyncProperty(part, fc.constantFrom('plugin', 'engine', 'store'), async (own, kind) => {
        number += 1;
        const argv = ['plugin', 'new', `@acme/${own}`, '--kind', kind, '--folder', String(number), '--json'];
        const done = await run(argv, { cwd });
        expect(done.code).toBe(0);
        const { partName, identifier } = JSON.parse(done.out) as {
          readonly partName: string;
          readonly identifier: string;
        };
        expect(identifier).toMatch(/^[a-z][a-zA-Z0-9]*(?:Plugin|Engine|Store|\d[a-zA-Z0-9]*)$/);
        expect(partName).toMatch(/^acme\/[a-z0-9]+(-[a-z0-9]+)*$/);
      }),
      { numRuns: 30 },
    );
  });
});
