import { definePlugin, type PluginFactory } from '@varve/core';
import { addNote } from './add-note.ts';
import { type ExpandInput, expandTool } from './expand-tool.ts';
import { type GrepInput, grepTool } from './grep-tool.ts';
import { createIndexShelf, type IndexShelf } from './index-shelf.ts';
import { pluginName } from './plugin-name.ts';
import { rebuildPrompt } from './rebuild-prompt.ts';
import { type CheckedRecallOptions, type RecallOptions, recallOptions } from './recall-options.ts';

const skips: ReadonlySet<string> = new Set(['recall_grep', 'recall_expand']);

/** What the tools are asked, by their names. */
interface RecallInputs {
  readonly recall_grep?: GrepInput;
  readonly recall_expand?: ExpandInput;
}

/** The indexes of each host, by the options that were checked for it: its tools and taps share them. */
const shelves = new WeakMap<CheckedRecallOptions, IndexShelf>();

function shelfOf(options: CheckedRecallOptions): IndexShelf {
  const shelf = shelves.get(options) ?? createIndexShelf({ ...options, skips });
  shelves.set(options, shelf);
  return shelf;
}

/**
 * Brings back, from the whole of a session's journal, what the current question needs and the prompt no longer shows.
 * Needs no model; what it holds in memory is derived from the journal and made anew when it is gone.
 */
export const recall: PluginFactory<RecallOptions> = definePlugin<RecallOptions, CheckedRecallOptions, RecallInputs>({
  name: pluginName,
  version: '0.1.0',
  apiVersion: '^1.0.0',
  after: ['ttl-pruning', 'summary-compaction'],
  options: recallOptions,
  tools: (options) => {
    if (!options.tools) return {};
    return { recall_grep: grepTool(shelfOf(options), skips), recall_expand: expandTool(skips) };
  },
  apply({ hooks, events }, options) {
    const shelf = shelfOf(options);
    const isQuality = options.mode === 'quality';
    // Reading belongs into the hook with the longer deadline; a prompt that shows everything needs none of it.
    hooks.collect.tapPromise('read what is new', async (draft, context) => {
      const isHidden = context.session.compaction() !== null;
      const isFull = draft.tokens + draft.budget.reserved > draft.budget.soft;
      if (!isHidden && !(isQuality && isFull)) return;
      await shelf.withIndex(context.session.sessionId, (index) => index.update(context));
    });
    hooks.shape.tapPromise('recall', async (draft, context) => {
      const isHidden = context.session.compaction() !== null;
      if (!isHidden && !isQuality) return undefined;
      return shelf.withIndex(context.session.sessionId, async (index) => {
        // What others added after the first hook may have made the prompt too large for all of it.
        if (!index.isComplete(context.session)) await index.update(context);
        const parts = { index, context, options, skips };
        return isQuality ? rebuildPrompt(draft, parts) : addNote(draft, parts);
      });
    });
    const stop = events.on('entries-forgotten', ({ sessionId }) => shelf.drop(sessionId));
    return () => {
      stop();
      shelf.clear();
    };
  },
});
