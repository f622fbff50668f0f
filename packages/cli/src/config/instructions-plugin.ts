import { definePlugin, type PluginFactory } from '@varve/core';
import { z } from 'zod';

/** What an agent is told about itself. */
export interface InstructionsOptions {
  /** `null` for nothing. */
  readonly text: string | null;
  /** Channels in which it is told something else. @default none */
  readonly byChannel?: Readonly<Record<string, string | null>> | undefined;
}

const options: z.ZodType<InstructionsOptions, InstructionsOptions> = z.strictObject({
  text: z.string().nullable(),
  byChannel: z.record(z.string(), z.string().nullable()).optional(),
});

/** All other layers yield earlier. */
const priority = 1_000;

/** Puts the `instructions` of a configuration at the front of every prompt. */
export const instructionsPlugin: PluginFactory<InstructionsOptions> = definePlugin<
  InstructionsOptions,
  InstructionsOptions
>({
  name: 'instructions',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options,
  apply({ hooks }, { text: general, byChannel = {} }) {
    hooks.collect.tapPromise('add the instructions', async (draft, { session }) => {
      const { channel } = session;
      const isHere = ([name]: readonly [string, unknown]): boolean => name.toLowerCase() === channel?.toLowerCase();
      const own = Object.entries(byChannel).find(isHere);
      const text = own === undefined ? general : own[1];
      if (text === null) return draft;
      const layer = { id: 'instructions', heading: 'Instructions', role: 'system', stability: 'session' } as const;
      return draft.addLayer({ ...layer, priority, items: [{ text }] }, 'configuration');
    });
  },
});
