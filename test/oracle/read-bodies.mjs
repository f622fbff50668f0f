import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lists the files that `replay --bodies` wrote, in their order. Bodies are read one by one: together they may be large.
 *
 * @returns {{ name: string, number: number, read: () => object }[]}
 */
export function listBodies(directory) {
  const names = readdirSync(directory).filter((name) => /^\d+\.json$/.test(name));
  return names.sort().map((name) => ({
    name,
    number: Number(name.slice(0, -'.json'.length)),
    read: () => JSON.parse(readFileSync(join(directory, name), 'utf8')),
  }));
}
