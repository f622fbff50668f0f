import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import plugin, { pluginManifest } from '@varve/openclaw';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..');
const path = join(folder, 'openclaw.plugin.json');

describe('the manifest of the plugin', () => {
  it('is what the schema of its configuration says: VARVE_UPDATE_MANIFEST=1 writes it', () => {
    const manifest = pluginManifest();
    if (process.env['VARVE_UPDATE_MANIFEST'] === '1') writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(manifest);
  });

  it('names the plugin that is loaded, in the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
    expect(pluginManifest()).toMatchObject({ id: plugin.id, name: plugin.name, kind: 'context-engine', version });
  });
});
