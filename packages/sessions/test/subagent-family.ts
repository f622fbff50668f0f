import { setImmediate } from 'node:timers/promises';
import type { AssistantMessage, Entry, HostEvents, ModelReply, ModelRequest } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import { TestRunner } from 'vitest';
import { entriesOf } from './stage.ts';
import { beginTalk, gate, lastWords, type Talk, type TalkOptions } from './talk.ts';

/** Key of the conversation that gives tasks. */
export const parentKey = 'agent:main:main';

/** What a sub-agent does: says a text, answers whole, throws, or never comes to an end. */
export type ChildScript = (
  task: string,
  request: ModelRequest,
  signal: AbortSignal | undefined,
) => string | ModelReply | Promise<string | ModelReply>;

/** How a family is set up. */
export interface FamilyOptions extends Omit<TalkOptions, 'script'> {
  /** @default says `did: ` and the task */
  readonly child?: ChildScript;
  /** What the parent says. @default `told: ` and the last line of what it was told */
  readonly parent?: (request: ModelRequest) => string | ModelReply | Promise<string | ModelReply>;
}

/** A conversation whose sub-agents do as they are told. */
export async function beginFamily(options: FamilyOptions = {}): Promise<Talk> {
  const { child = (task) => `did: ${task}`, parent = toldLine, ...rest } = options;
  return beginTalk({
    ...rest,
    script: (request, { signal }) => {
      const task = taskIn(request);
      return task === null ? parent(request) : child(task, request, signal);
    },
  });
}

/** The task of a sub-agent whose prompt this is; `null` for the prompt of a parent. */
export function taskIn({ prompt }: ModelRequest): string | null {
  const texts = prompt.messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
  const task = texts.findLast((text) => text.includes('You are a sub-agent'));
  return task === undefined ? null : (/holds the whole result\.(?:\n|\\n)+([^\n\\"]*)/.exec(task)?.[1] ?? '');
}

function toldLine(request: ModelRequest): string {
  const quoted = lastWords(request)
    .split('\n')
    .findLast((line) => line.startsWith('> '));
  return `told: ${quoted?.slice(2) ?? lastWords(request).split('\n')[0] ?? ''}`;
}

/** An answer that calls a tool. */
export function calls(
  toolName: string,
  input: Record<string, string | number>,
  toolCallId: string = 'call-1',
): ModelReply {
  const message: AssistantMessage = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId, toolName, input }],
    stop: 'tool-calls',
  };
  return { message, usage: null };
}

/** Whether a prompt says something, wherever. */
export function says({ prompt }: ModelRequest, text: string): boolean {
  return JSON.stringify(prompt.messages).includes(text);
}

/** Resolves with the next event of a name. Asked for before what it follows. */
export function next<Name extends keyof HostEvents>(
  { host }: Pick<Talk, 'host'>,
  name: Name,
): Promise<HostEvents[Name]> {
  return new Promise((resolve) => {
    const off = host.events.on(name, (event) => {
      off();
      resolve(event);
    });
  });
}

/** Resolves when the end of every sub-agent of a conversation is with it and noted in its own journal. */
export async function allHome(sessions: Sessions, keyText: string = parentKey): Promise<void> {
  const signal = TestRunner.getCurrentTest()?.context.signal;
  while (!(await sessions.children(keyText)).every(({ isDelivered }) => isDelivered)) {
    await setImmediate(undefined, { ...(signal && { signal }) });
  }
}

/** The messages with which a conversation was told of ends, in all of its generations. */
export async function endsTold({ store, sessions }: Talk, keyText: string = parentKey): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const { sessionId } of await sessions.generations(keyText)) {
    const entries = await entriesOf(store, sessionId);
    found.push(...entries.filter((entry) => entry.type === 'message' && entry.provenance.kind === 'subagent'));
  }
  return found;
}

/** A sub-agent that works until it is let go. */
export function heldChild(): { readonly child: ChildScript; readonly asked: Promise<void>; go(): void } {
  const [asked, answered] = [gate(), gate()];
  return {
    asked: asked.opened,
    go: answered.open,
    child: async (task, _request, signal) => {
      asked.open();
      await Promise.race([
        answered.opened,
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      ]);
      return `did: ${task}`;
    },
  };
}
