import { messageStream, partsOfStream, systemStream } from './body-stream.mjs';

/** @returns {{ stable: string[], all: string[] }} The blocks of a body as texts: the stable ones, and all. */
export function prefixOf(body) {
  const system = systemStream(body).map(({ key }) => key);
  const stream = messageStream(body);
  const stable = partsOfStream(stream).stable.map(({ key }) => key);
  return { stable: [...system, ...stable], all: [...system, ...stream.map(({ key }) => key)] };
}

/**
 * The stable blocks of one request begin the next, unless the next names an action: caches of providers pay for it.
 *
 * @returns {{ kind: string, what: string }[]}
 */
export function checkPrefix(previous, { prefix, actions }) {
  if (actions.length > 0) return [];
  const changed = previous.stable.findIndex((key, index) => key !== prefix.all[index]);
  if (changed === -1) return [];
  const [before, after] = [previous.stable[changed], prefix.all[changed] ?? 'nothing'].map((key) => key.slice(0, 60));
  const what = `block ${changed + 1} of ${previous.stable.length} was ${before}, is ${after}, and no action is named`;
  return [{ kind: 'prefix', what }];
}
