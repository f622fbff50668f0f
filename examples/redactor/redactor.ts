import { definePlugin } from '@varve/core';
import { z } from 'zod';

const secrets = ['\\bsk-[\\w-]{12,}', '[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+'];

/** Takes secrets out of what users and tools say, before anything is stored. `patterns` are regular expressions. */
export const redactor = definePlugin({
  name: 'acme/redactor',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({ patterns: z.array(z.string().min(1)).min(1).default(secrets) }),
  apply: ({ hooks }, { patterns }) => {
    const secret = new RegExp(patterns.join('|'), 'g');
    const redact = (key: string, value: unknown): unknown =>
      typeof value === 'string' && key !== 'toolCallId' ? value.replace(secret, '[redacted]') : value;
    hooks.ingest.tapPromise('take out secrets', ({ message, provenance }) =>
      message.role === 'assistant' ? undefined : { message: JSON.parse(JSON.stringify(message), redact), provenance },
    );
  },
});
