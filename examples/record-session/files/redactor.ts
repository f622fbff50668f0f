import { definePlugin } from '@varve/core';
import { z } from 'zod';

const secrets = ['\\bsk-[\\w-]{12,}', '[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+'];

/** Takes secrets out of what users and tools say, before anything is stored. `patterns` are regular expressions. */
export const redactor = definePlugin({
  name: 'acme/redactor',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({ patterns: z.array(z.string()).default(secrets) }),
  apply: ({ hooks }, { patterns }) => {
    const secret = new RegExp(patterns.join('|'), 'g');
    hooks.ingest.tapPromise('take out secrets', ({ message, provenance }) => {
      if (message.role === 'assistant') return undefined;
      return { message: JSON.parse(JSON.stringify(message).replace(secret, '[redacted]')), provenance };
    });
  },
});
