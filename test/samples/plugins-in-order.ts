import { definePlugin, type Message, type PluginFactory } from '@varve/core';
import { z } from 'zod';

type NoOptions = Record<string, never>;

/** A plugin that rewrites the text of what comes in. */
function rewriting(name: string, rewrite: (text: string) => string): PluginFactory<NoOptions> {
  return definePlugin<NoOptions, NoOptions>({
    name,
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.ingest.tapPromise('rewrite', ({ message, provenance }) => {
        if (message.role !== 'user' || typeof message.content !== 'string') return;
        const rewritten: Message = { ...message, content: rewrite(message.content) };
        return { message: rewritten, provenance };
      });
    },
  });
}

/** Replaces the codes of boathouses. */
export const redact: PluginFactory<NoOptions> = rewriting('redact', (text) => text.replace(/heron-\d{4}/g, '[code]'));

/** Keeps the first 20 characters. */
export const shorten: PluginFactory<NoOptions> = rewriting('shorten', (text) => `${text.slice(0, 20)}…`);
