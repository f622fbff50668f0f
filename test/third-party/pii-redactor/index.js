import { definePlugin } from '@varve/core';
import { z } from 'zod';

/** What is taken out, and what stands there instead. A card number is one only with the right last digit. */
const kinds = {
  email: { pattern: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, is: () => true },
  card: { pattern: /\b\d(?:[ -]?\d){12,18}\b/g, is: hasCheckDigit },
  phone: { pattern: /\+\d(?:[ -]?\d){7,14}\b/g, is: () => true },
};

export const piiRedactor = definePlugin({
  name: 'privacy/pii-redactor',
  version: '1.2.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({ kinds: z.array(z.enum(['email', 'card', 'phone'])).default(['email', 'card', 'phone']) }),
  apply: ({ hooks }, options) => {
    const redact = (text) =>
      options.kinds.reduce(
        (left, kind) => left.replace(kinds[kind].pattern, (found) => (kinds[kind].is(found) ? `[${kind}]` : found)),
        text,
      );
    hooks.ingest.tapPromise('take personal data out', ({ message, provenance }) => {
      // What a model says it has from what was redacted; ids tie results to their calls.
      if (message.role === 'assistant') return undefined;
      const hide = (key, value) => (typeof value === 'string' && !isName(key) ? redact(value) : value);
      const redacted = JSON.parse(JSON.stringify(message), hide);
      return JSON.stringify(redacted) === JSON.stringify(message) ? undefined : { message: redacted, provenance };
    });
  },
});

function isName(key) {
  return ['role', 'type', 'toolCallId', 'toolName', 'mediaType', 'data'].includes(key);
}

function hasCheckDigit(text) {
  const digits = [...text.replace(/\D/g, '')].reverse().map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
