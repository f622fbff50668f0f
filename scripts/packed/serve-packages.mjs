import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** @typedef {import('./public-packages.mjs').PackedPackage} PackedPackage */

/** Serves packed packages, and nothing else, on the loopback interface. @param {readonly PackedPackage[]} packed */
export async function servePackages(packed) {
  const byName = new Map(packed.map((one) => [one.manifest.name, one]));
  const server = createServer((request, response) => {
    const [, name = '', file] = /^\/(@[^/]+\/[^/]+)(\/-\/.+)?$/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    const one = byName.get(name);
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

/** @param {import('node:http').Server} server */
function urlOf(server) {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
