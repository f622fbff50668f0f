import type { ToolDefinition } from '@varve/core';
import { textHash } from '../text-hash.ts';

const accepted = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const readableLength = 48;

/**
 * A name of a tool in the form that the API accepts. Names that are fine stay; of others a readable part stays and a
 * fingerprint is added, so that a name never depends on what else is in the request.
 */
export function functionName(name: string): string {
  if (accepted.test(name)) return name;
  const readable = name.replace(/[^a-zA-Z0-9_]/g, '_').slice(0, readableLength);
  return `_${readable}_${textHash(name)}`;
}

/** Gives the names on the wire their own names back, for the tools that were offered. */
export function ownFunctionNames(tools: readonly Pick<ToolDefinition, 'name'>[]): (wire: string) => string {
  const own = new Map(tools.map(({ name }) => [functionName(name), name]));
  return (wire) => own.get(wire) ?? wire;
}
