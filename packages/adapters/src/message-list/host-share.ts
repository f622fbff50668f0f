import type { JsonValue } from '@varve/core';

/** What a host sends beside a prompt of `session.assemble`. */
export interface HostShareOptions {
  /** Texts of its system prompt. @default none */
  readonly system?: readonly string[] | undefined;
  /** Definitions of its tools. @default none */
  readonly tools?: readonly JsonValue[] | undefined;
}

/**
 * What a host sends besides, in the form in which `session.assemble` and `session.compact` count it: as their `tools`.
 */
export function hostShare({ system = [], tools = [] }: HostShareOptions): readonly JsonValue[] {
  return [...tools, ...system.map((text) => ({ system: text }))];
}
