// Our packages as their users get them: packed, and served by a registry on the loopback interface.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';

/** @typedef {Map<string, { readonly manifest: { readonly version: string }, readonly data: Buffer }>} PackedPackages */

/** Packs every package that is not private into a new folder. @param {string} folder @returns {PackedPackages} by name */
export function packAll(folder) {
  mkdirSync(folder);
  /** @type {PackedPackages} */
  const found = new Map();
  for (const group of ['packages', 'plugins']) {
    for (const name of readdirSync(group)) {
      const root = join(group, name);
      if (!existsSync(join(root, 'package.json'))) continue;
      if (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).private) continue;
      const options = /** @type {const} */ ({ cwd: root, encoding: 'utf8' });
      const { filename } = JSON.parse(execFileSync('pnpm', ['pack', '--json', '--pack-destination', folder], options));
      const tarball = resolve(root, filename);
      const text = execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' });
      const manifest = JSON.parse(text);
      found.set(manifest.name, { manifest, data: readFileSync(tarball) });
    }
  }
  return found;
}

/** Serves packed packages, and nothing else. @param {PackedPackages} packed */
export async function servePackages(packed) {
  const server = createServer((request, response) => {
    const [, name = '', file] = /^\/(@[^/]+\/[^/]+)(\/-\/.+)?$/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    const one = packed.get(name);
    if (one === undefined) return void response.writeHead(404).end('{}');
    if (file !== undefined) return void response.writeHead(200).end(one.data);
    const { version } = one.manifest;
    const integrity = `sha512-${createHash('sha512').update(one.data).digest('base64')}`;
    const tarball = `${urlOf(server)}/${name}/-/${version}.tgz`;
    const versions = { [version]: { ...one.manifest, dist: { tarball, integrity } } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: urlOf(server), close };
}

/**
 * What npm runs in: npm's own cache is left alone, and nothing that pnpm hands down is read as a setting.
 *
 * @param {{ readonly url: string, readonly cache: string }} where
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment({ url, cache }) {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_(?!config_registry$)/i.test(name));
  return {
    ...Object.fromEntries(own),
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
    'npm_config_@varve:registry': url,
  };
}

/** @param {import('node:http').Server} server */
function urlOf(server) {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
