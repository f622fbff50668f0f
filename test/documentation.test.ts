import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../packages/core/src/errors.ts';
import { hookRules } from '../packages/core/src/plugins/hooks.ts';
import { fillParts, generateParts } from '../scripts/generate-reference.mjs';
import { checkCode } from './documentation/check-code.ts';
import { anchorOf, type Page, readMarkdown } from './documentation/read-markdown.ts';

const root = join(import.meta.dirname, '..');
/** Folders that others write: dependencies, builds, and the API reference. */
const generated = new Set(['node_modules', 'dist', 'coverage', '.git', '.pack', 'api', 'cache']);
const pages = new Map<string, Page>(
  pagesIn('.').map((path) => [path, readMarkdown(readFileSync(join(root, path), 'utf8'))]),
);

/** Every page of the repository, by its path from the root. Changelogs are written by a tool. */
function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return generated.has(entry.name) ? [] : pagesIn(path);
    return entry.name.endsWith('.md') && entry.name !== 'CHANGELOG.md' ? [path] : [];
  });
}

const parts = generateParts();

/** The pages of the reference, with their text. */
function referencePages(): { readonly path: string; readonly text: string }[] {
  const paths = [...pages.keys()].filter((path) => path.startsWith(join('docs', 'reference')));
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** What is wrong with a link, if anything. Links to other sites are not followed. */
function problemWith(target: string, from: string): string | undefined {
  if (/^[a-z]+:/i.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  if (path.startsWith('/')) return 'is absolute; link the file, relative to this one';
  const file = path === '' ? from : relative(root, join(root, dirname(from), path));
  if (file.startsWith('..')) return 'leaves the repository';
  if (!existsSync(join(root, file))) return 'leads nowhere';
  if (anchor === undefined) return undefined;
  const anchors = pages.get(file)?.headings.map(anchorOf) ?? [];
  return anchors.includes(anchor) ? undefined : `has no heading #${anchor}`;
}

describe('the documentation', () => {
  it('has no dead link', () => {
    const dead = [...pages].flatMap(([path, page]) =>
      page.links.flatMap(({ target, line }) => {
        const problem = problemWith(target, path);
        return problem === undefined ? [] : [`${path}:${line}: ${target} ${problem}`];
      }),
    );
    expect(dead).toEqual([]);
  });

  it('has a section for every error code, and no other', () => {
    const sections = pages
      .get(join('docs', 'reference', 'errors.md'))
      ?.headings.filter((one) => one.startsWith('VARVE_'));
    expect(sections).toEqual(Object.keys(errorCodes).sort());
  });

  it('says of every error what its code says', () => {
    const text = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
    const missing = Object.entries(errorCodes).filter(
      ([code, meaning]) => !text.includes(`## ${code}\n\n${meaning}\n`),
    );
    expect(missing).toEqual([]);
  });

  it('has generated parts as the code would write them now', () => {
    const stale = referencePages().filter(({ text }) => fillParts(text, parts).filled !== text);
    expect(
      stale.map(({ path }) => path),
      'run: pnpm build && node scripts/generate-reference.mjs',
    ).toEqual([]);
  });

  it('has every generated part in one place', () => {
    const names = referencePages().flatMap(({ text }) => fillParts(text, parts).names);
    expect(names.sort()).toEqual([...parts.keys()].sort());
  });

  it('has a page for every hook, and no other', () => {
    const folder = join('docs', 'reference', 'hooks');
    const hookPages = referencePages().filter(({ path }) => dirname(path) === folder);
    const titles = hookPages.map(({ path, text }) => [
      path,
      fillParts(text, parts).names,
      pages.get(path)?.headings[0],
    ]);
    const expected = Object.keys(hookRules).map((hook) => [join(folder, `${hook}.md`), [`hook ${hook}`], hook]);
    expect(titles.sort()).toEqual(expected.sort());
  });

  it('has code that compiles', () => {
    const code = [...pages].map(([path, page]) => ({ path, blocks: page.blocks }));
    expect(checkCode(root, code)).toEqual([]);
  });

  it('has a text in the place of every placeholder', () => {
    const left = [...pages.keys()].flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.includes('@@') ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(left).toEqual([]);
  });

  it('has every page within reach of the first one', () => {
    const config = readFileSync(join(root, 'docs/.vitepress/config.ts'), 'utf8');
    const onSite = [...pages.keys()].filter((path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/'));
    const links = onSite.map((path) => path.replace(/^docs/, '').replace(/(?<=\/)index\.md$|\.md$/, ''));
    expect(links.filter((link) => !config.includes(`'${link}'`))).toEqual([]);
    const linked = [...config.matchAll(/link: '([^']+)'/g)].map(([, link = '']) => link);
    expect(linked.filter((link) => link !== '/api/' && !links.includes(link))).toEqual([]);
  });
});

describe('the checks', () => {
  const page = [
    '# A `b` page',
    '[one](./nowhere.md) `[no](x)`',
    '```ts twoslash',
    "const a: number = 'x';",
    '```',
    '[two]: #there',
  ];

  it('read links, headings and code', () => {
    expect(readMarkdown(page.join('\n'))).toEqual({
      headings: ['A b page'],
      links: [
        { target: './nowhere.md', line: 2 },
        { target: '#there', line: 6 },
      ],
      blocks: [{ language: 'ts', info: ['twoslash'], code: "const a: number = 'x';", line: 4 }],
    });
  });

  it.each([
    ['./nowhere.md', 'leads nowhere'],
    ['/guides/write-a-plugin', 'is absolute'],
    ['../outside.md', 'leaves the repository'],
    ['README.md#no-such-heading', 'has no heading'],
  ])('find what is wrong with the link %s', (target, problem) => {
    expect(problemWith(target, 'README.md')).toContain(problem);
  });

  it.each(['README.md', 'README.md#try-it', '#packages', 'docs/explanation', 'mailto:somebody@example.org'])(
    'let the link %s pass',
    (target) => {
      expect(problemWith(target, 'README.md')).toBeUndefined();
    },
  );

  it('find code that does not compile, and name its place', () => {
    const blocks = readMarkdown(
      [
        '```ts',
        "import { nothingOfThisName } from '@varve/core';",
        '```',
        '```ts',
        'const a = 1;',
        'export const b = await Promise.resolve(a);',
        '```',
        '```ts continued',
        'const c: string = b;',
        '```',
        '```js',
        'not even code',
        '```',
      ].join('\n'),
    ).blocks;
    const faults = checkCode(root, [{ path: 'docs/example.md', blocks }]);
    expect(faults).toEqual([
      expect.stringMatching(/^docs\/example\.md:2: .*nothingOfThisName/),
      expect.stringMatching(/^docs\/example\.md:9: Type 'number' is not assignable to type 'string'/),
    ]);
  });
});
