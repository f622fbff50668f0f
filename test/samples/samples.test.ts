/// <reference types="vite/types/importMeta.d.ts" />
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSample } from './run-sample.ts';
import type { Sample } from './sample.ts';
import { samplePage } from './sample-page.ts';

const { VARVE_UPDATE_SAMPLES: update } = process.env;
const here = import.meta.dirname;
const page = join(here, '..', '..', 'docs', 'reference', 'samples.md');
const folders = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const modules = import.meta.glob<{ readonly default: Sample }>('./*/case.ts', { eager: true });
const samples = folders.flatMap((folder) => {
  const sample = modules[`./${folder}/case.ts`]?.default;
  return sample === undefined ? [] : [{ folder, sample }];
});

describe('samples', () => {
  it.each(samples.map(({ folder, sample }) => [sample.title, folder, sample] as const))('%s', async (_, name, one) => {
    const folder = join(here, name);
    const result = JSON.parse(JSON.stringify(await runSample(one, folder)));
    const path = join(folder, 'expected.json');
    if (update !== undefined) writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
    const expected: object = JSON.parse(readFileSync(path, 'utf8'));
    expect(Object.keys(expected)).toContain('appended');
    expect(Object.keys(expected).length + (expected as { appended: [] }).appended.length).toBeGreaterThan(1);
    expect(result).toEqual(expected);
  });

  it('have three files each, and at least forty of them are there', () => {
    const files = ['case.ts', 'expected.json', 'journal.jsonl'];
    const missing = folders.flatMap((folder) =>
      files.filter((file) => !existsSync(join(here, folder, file))).map((file) => `${folder}/${file}`),
    );
    expect(missing).toEqual([]);
    expect(samples.length).toBeGreaterThanOrEqual(40);
    expect(new Set(samples.map(({ sample }) => sample.title)).size).toBe(samples.length);
  });

  it('stand on the page that lists them', () => {
    if (update !== undefined) writeFileSync(page, samplePage(samples));
    expect(readFileSync(page, 'utf8'), 'run: VARVE_UPDATE_SAMPLES=1').toBe(samplePage(samples));
  });
});
