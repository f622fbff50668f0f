import type { Host, Milliseconds } from '@varve/core';
import { publicText } from '../problem/public-text.ts';

/** What failed of a plugin, or an engine, since the start. */
interface PluginFailure {
  readonly failures: number;
  /** `null` for none. */
  readonly lastError: string | null;
  readonly lastAt: Milliseconds | null;
}

/** Remembers what plugins have failed. */
export interface PluginFailures {
  of(name: string): PluginFailure;
  /** Listens no longer. */
  close(): void;
}

const none: PluginFailure = { failures: 0, lastError: null, lastAt: null };

/** Listens from now on. */
export function createPluginFailures(host: Host): PluginFailures {
  const known = new Map<string, PluginFailure>();
  const note = (name: string, error: string): void => {
    const { failures } = known.get(name) ?? none;
    known.set(name, { failures: failures + 1, lastError: publicText(error), lastAt: host.clock.now() });
  };
  const subscriptions = [
    host.events.on('plugin-failed', ({ plugin, error }) => note(plugin, error)),
    host.events.on('engine-degraded', ({ engine, error }) => note(engine, error)),
  ];
  return {
    of: (name) => known.get(name) ?? none,
    close: () => {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}
