import { definePlugin, type PluginFactory } from '@varve/core';
import { collectLayers } from './collect-layers.ts';
import { memoryOf } from './long-term-memory.ts';
import { type MemoryToolInputs, memoryTools } from './memory-tools.ts';
import { type SettledOptions, type WorkspaceLayersOptions, workspaceOptions } from './options.ts';

/**
 * Shows the files of a workspace and the notes of earlier conversations in every prompt, and gives the model tools to
 * search, read and add notes. Each note says who may see it; sessions see no others.
 */
export const workspaceLayers: PluginFactory<WorkspaceLayersOptions> = definePlugin<
  WorkspaceLayersOptions,
  SettledOptions,
  MemoryToolInputs
>({
  name: 'workspace-layers',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options: workspaceOptions,
  tools: (options) => memoryTools(memoryOf(options)),
  apply({ hooks, events }, options) {
    const memory = memoryOf(options);
    hooks.collect.tapPromise('add memory and workspace', (draft, context) => collectLayers(draft, memory, context));
    return events.on('entries-forgotten', ({ sessionId }) => memory.past?.drop(sessionId));
  },
});
