import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  adapterCases,
  casePage,
  engineCases,
  modelPortCases,
  pluginCases,
  type SubjectKind,
  storeCases,
} from '@varve/testkit';
import { expect, it } from 'vitest';
import { anchorOf, readMarkdown } from './documentation/read-markdown.ts';

const docs = join(import.meta.dirname, '..', 'docs');
const contracts: readonly (readonly [SubjectKind, readonly { readonly name: string }[]])[] = [
  ['plugin', pluginCases],
  ['engine', engineCases],
  ['store', storeCases],
  ['adapter', adapterCases],
  ['model-port', modelPortCases],
];

it.each(contracts)('score cards of kind %s lead to a section for every case, and there is no other', (kind, cases) => {
  const [page = ''] = casePage(kind, '').split('#');
  const [, ...headings] = readMarkdown(readFileSync(join(docs, `${page}.md`), 'utf8')).headings;
  const anchors = headings.map((heading) => `${page}#${anchorOf(heading)}`);
  expect(anchors).toEqual(cases.map(({ name }) => casePage(kind, name)));
});
