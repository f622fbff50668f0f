import type { JsonValue } from '@varve/core';
import { jsonOf } from '../json-of.ts';

/** What is counted of a tool that LangChain sends along: name, description, and the schema as far as it can be told. */
export function toolDefinitions(tools: readonly unknown[]): readonly JsonValue[] {
  return tools.map((tool) => {
    const { name, description, schema, ...rest } = tool as { readonly [field: string]: unknown };
    if (typeof name !== 'string' || schema === undefined) return jsonOrNull(isPlain(tool) ? tool : rest);
    return jsonOrNull({ name, description, schema: schemaOf(schema) });
  });
}

function isPlain(value: unknown): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** A schema as JSON: as it is, as it says itself, or, of an older zod, the names and descriptions of its fields. */
function schemaOf(schema: unknown): unknown {
  const { toJSONSchema, shape, type } = schema as {
    readonly toJSONSchema?: unknown;
    readonly shape?: unknown;
    readonly type?: unknown;
  };
  if (typeof toJSONSchema === 'function') return toJSONSchema.call(schema);
  if (typeof shape !== 'object' || shape === null) return typeof type === 'string' ? schema : {};
  const fields = Object.entries(shape as { readonly [name: string]: { readonly description?: unknown } });
  return { properties: Object.fromEntries(fields.map(([name, { description }]) => [name, { description }])) };
}

/** A tool that cannot be counted is not refused for it. */
function jsonOrNull(value: unknown): JsonValue {
  try {
    return jsonOf(value, 'tools');
  } catch {
    return null;
  }
}
