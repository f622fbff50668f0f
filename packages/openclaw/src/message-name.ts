import { createHash } from 'node:crypto';
import type { PiMessage } from '@varve/adapters/pi';

/** A short name of a message, by what it says. */
export function nameOfMessage({ role, content, toolCallId }: PiMessage): string {
  return createHash('sha256')
    .update(JSON.stringify([role, content, toolCallId]))
    .digest('hex')
    .slice(0, 16);
}
