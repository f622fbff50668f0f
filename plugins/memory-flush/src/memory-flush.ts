import { definePlugin, type PluginFactory } from '@varve/core';
import { flush } from './flush.ts';
import { flushOptions, type MemoryFlushOptions, type SettledOptions } from './options.ts';

/**
 * Saves what matters as notes before a compaction takes it out of the prompt: beside the conversation, once between two
 * compactions. Nothing of it enters the session, and nothing waits for it.
 */
export const memoryFlush: PluginFactory<MemoryFlushOptions> = definePlugin<MemoryFlushOptions, SettledOptions>({
  name: 'memory-flush',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options: flushOptions,
  apply({ hooks, clock }, options) {
    const running = new Set<string>();
    hooks.beforeCompact.tapPromise('save notes', (request, context) =>
      flush(request, context, { options, clock, running }),
    );
  },
});
