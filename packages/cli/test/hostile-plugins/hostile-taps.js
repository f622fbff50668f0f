import { definePlugin } from '@varve/core';
import { z } from 'zod';

const described = { version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}) };

/** Never gives the process back once it is asked for layers. */
export const endless = definePlugin({
  ...described,
  name: 'acme/endless',
  apply: ({ hooks }) => {
    hooks.collect.tapPromise('go round', () => {
      for (;;);
    });
  },
});

/** Ends the process when it is asked for layers. */
export const exiting = definePlugin({
  ...described,
  name: 'acme/exiting',
  apply: ({ hooks }) => {
    hooks.collect.tapPromise('leave', () => {
      console.error('out of clay');
      process.exit(3);
    });
  },
});

/** Says that it is done, where only the check may. */
export const forging = definePlugin({
  ...described,
  name: 'acme/forging',
  apply: ({ hooks }) => {
    process.send?.({ type: 'done' });
    hooks.collect.tapPromise('fail', () => {
      throw new Error('there is no layer');
    });
  },
});

/** A plugin that was made already. */
export const made = endless();
