import type { Plugin } from '@varve/core';

/** Why a plugin runs where it does. */
export interface PluginPlace {
  readonly name: string;
  /** From 1, as the configuration lists it. */
  readonly listed: number;
  /** Whether it runs later than it is listed. */
  readonly moved: boolean;
  /** A clause without a full stop. */
  readonly why: string;
}

/**
 * Says why plugins run in the order in which they do: each as it is listed, but behind those that it, or they, demand.
 *
 * @param order  Names as the host has put them.
 */
export function explainOrder(listed: readonly Plugin[], order: readonly string[]): readonly PluginPlace[] {
  const rest = [...listed];
  const waitedFor = new Map<string, string>();
  return order.map((name) => {
    const at = rest.findIndex((plugin) => plugin.name === name);
    // What was passed over had to wait for somebody: the last one of them is the reason.
    for (const waiting of rest.slice(0, at)) {
      const blockers = demandsOf(waiting, rest);
      const last = order.findLast((one) => blockers.has(one));
      if (last !== undefined) waitedFor.set(waiting.name, blockers.get(last) ?? '');
    }
    rest.splice(at, 1);
    const why = waitedFor.get(name);
    const position = listed.findIndex((plugin) => plugin.name === name) + 1;
    return { name, listed: position, moved: why !== undefined, why: why ?? 'as listed' };
  });
}

/** Who must run before a plugin, of those that are there, each with the words for it. */
function demandsOf(plugin: Plugin, present: readonly Plugin[]): ReadonlyMap<string, string> {
  const demands = new Map<string, string>();
  for (const { name, before } of present) {
    if (plugin.requires.includes(name)) demands.set(name, `behind ${name}, which it requires`);
    else if (plugin.after.includes(name)) demands.set(name, `behind ${name}, which it names in "after"`);
    else if (before.includes(plugin.name)) demands.set(name, `behind ${name}, which names it in "before"`);
  }
  return demands;
}
