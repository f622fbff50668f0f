import type { ToolDefinition } from '@varve/core';
import { textHash } from './text-hash.ts';

const hashLength = 14;

/** Which names a provider accepts: letters, digits, `_` and `-`, and at most so many. */
export interface WireNameOptions {
  readonly max: number;
}

/**
 * A name of a tool in the characters, and of the length, that a provider accepts. Names that are fine stay; of others
 * a readable part stays and a fingerprint is added, so that two tools never share one name, and a name never depends
 * on what else is in the request.
 */
export function wireName(name: string, { max }: WireNameOptions): string {
  if (/^[a-zA-Z0-9_-]+$/.test(name) && name.length <= max) return name;
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, max - hashLength - 1);
  return `${readable}_${textHash(name)}`;
}

/** Gives the names on the wire their own names back, for the tools that were offered. */
export function ownNames(
  tools: readonly Pick<ToolDefinition, 'name'>[],
  options: WireNameOptions,
): (wire: string) => string {
  const own = new Map(tools.map(({ name }) => [wireName(name, options), name]));
  return (wire) => own.get(wire) ?? wire;
}
