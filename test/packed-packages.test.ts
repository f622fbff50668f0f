import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { npmEnvironment } from '../scripts/packed/npm-environment.mjs';
import { publicPackages } from '../scripts/packed/public-packages.mjs';
import { surfaceDifferences } from '../scripts/packed/surface-differences.mjs';

// What scripts do with the packages as their users get them.

describe('what packages export, compared', () => {
  const surface = (...declarations: readonly string[]) => ['// .', ...declarations, ''].join('\n');
  const point = ['export interface Point {', '    readonly x: number;', '}'].join('\n');
  const size = ['export interface Size {', '    readonly x: number;', '    readonly y: number;', '}'].join('\n');

  it('shows a line that only one of two declarations has lost, although the other still has it', () => {
    const without = size.replace('    readonly x: number;\n', '');
    expect(surfaceDifferences(surface(point, size), surface(point, without))).toEqual([
      '. Size',
      '-     readonly x: number;',
    ]);
  });

  it('shows lines that have changed places', () => {
    const turned = ['export interface Size {', '    readonly y: number;', '    readonly x: number;', '}'].join('\n');
    const shown = surfaceDifferences(surface(size), surface(turned));
    expect(shown).toEqual(['. Size', '-     readonly x: number;', '+     readonly x: number;']);
  });

  it('shows what has come and what has gone whole, each with its name, and nothing of the others', () => {
    const before = surface('export const a: 1;', point, 'export { other }');
    const after = `${surface(point, 'export { other }')}\n// ./more\nexport declare abstract class Late {\n}\n`;
    expect(surfaceDifferences(before, after)).toEqual([
      '. a',
      '- export const a: 1;',
      './more Late',
      '+ export declare abstract class Late {',
      '+ }',
    ]);
  });

  it('takes the overloads of a function together', () => {
    const one = 'export function ask(text: string): void;';
    const two = 'export function ask(number: number): void;';
    expect(surfaceDifferences(surface(one), surface(one, two))).toEqual(['. ask', `+ ${two}`]);
    expect(surfaceDifferences(surface(one, two), surface(one, two))).toEqual([]);
  });
});

describe('the environment of npm', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('keeps the registry of this machine, and drops what else pnpm hands down', () => {
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:4873/');
    vi.stubEnv('VARVE_KEPT', '1');
    vi.stubEnv('npm_config_node_linker', 'hoisted');
    vi.stubEnv('pnpm_config_verify_deps_before_run', 'false');
    const plain = npmEnvironment();
    expect(plain).toMatchObject({ npm_config_registry: 'http://127.0.0.1:4873/', VARVE_KEPT: '1' });
    expect(plain).not.toHaveProperty('npm_config_node_linker');
    expect(plain).not.toHaveProperty('pnpm_config_verify_deps_before_run');
    expect(plain).not.toHaveProperty('npm_config_cache');
    expect(npmEnvironment({ url: 'http://127.0.0.1:1', cache: '/cache' })).toEqual({
      ...plain,
      npm_config_cache: '/cache',
      'npm_config_@varve:registry': 'http://127.0.0.1:1',
    });
  });
});

describe('the public packages', () => {
  it('are those whose surface is written down', () => {
    const names = publicPackages().map(({ manifest }) => manifest.name.replace('@varve/', ''));
    const written = readdirSync(join(import.meta.dirname, 'api-surface')).map((file) => file.replace('.d.ts.txt', ''));
    expect(names.toSorted()).toEqual(written.toSorted());
    for (const { folder } of publicPackages()) expect(existsSync(join(folder, 'package.json'))).toBe(true);
  });
});
