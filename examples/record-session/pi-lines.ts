import { createHash } from 'node:crypto';
import type { CallUsage } from './cache-usage.ts';
import type { CallInput } from './dialogue.ts';
import { shownRoot } from './scrub.ts';

/** One line of a session file of pi, version 1. */
export type PiLine = Readonly<Record<string, unknown>>;

/** What the assistant said: words, and calls with the arguments that their tools got. */
export type AssistantBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name: string;
      readonly arguments: CallInput;
    };

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' } as const;

/** First line of the file. */
export function sessionLine(at: number): PiLine {
  const digits = createHash('sha256').update('varve-session').digest('hex');
  const id = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `a${digits.slice(17, 20)}`];
  return {
    type: 'session',
    id: [...id, digits.slice(20, 32)].join('-'),
    timestamp: new Date(at).toISOString(),
    cwd: shownRoot,
    provider: model.provider,
    modelId: model.model,
    thinkingLevel: 'off',
  };
}

/** What the developer said. */
export function userLine(text: string, at: number): PiLine {
  return messageLine({ role: 'user', content: [{ type: 'text', text }], timestamp: at }, at);
}

/** What the assistant said, asked for at `startedAt` and complete at `at`. */
export function assistantLine(
  content: readonly AssistantBlock[],
  { usage, startedAt, at }: { readonly usage: CallUsage; readonly startedAt: number; readonly at: number },
): PiLine {
  const stopReason = content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop';
  const message = { role: 'assistant', content, api: 'anthropic-messages', ...model, usage, stopReason };
  return messageLine({ ...message, timestamp: startedAt }, at);
}

/** What a tool gave back. */
export function resultLine(
  { id, name }: { readonly id: string; readonly name: string },
  { text, isError }: { readonly text: string; readonly isError: boolean },
  at: number,
): PiLine {
  const content = [{ type: 'text', text }];
  return messageLine({ role: 'toolResult', toolCallId: id, toolName: name, content, isError, timestamp: at }, at);
}

function messageLine(message: PiLine, at: number): PiLine {
  return { type: 'message', timestamp: new Date(at).toISOString(), message };
}
