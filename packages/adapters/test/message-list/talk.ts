import type { ListedMessage } from '@varve/adapters/message-list';
import { createHost, type Message, memoryStore, type Session, type Store } from '@varve/core';

/** What a user says. */
export function user(text: string): Message {
  return { role: 'user', content: text };
}

/** What a model says. */
export function assistant(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

/** An answer that calls a tool once for each id. */
export function calls(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    content: ids.map((toolCallId) => ({
      type: 'tool-call',
      toolCallId,
      toolName: 'read',
      input: { path: toolCallId },
    })),
  };
}

/** One message with the results of calls, by id. */
export function results(byId: Readonly<Record<string, string>>): Message {
  return {
    role: 'tool',
    content: Object.entries(byId).map(([toolCallId, value]) => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'read',
      output: { type: 'text', value },
    })),
  };
}

/** A list as a host has it. */
export function listed(...messages: readonly Message[]): ListedMessage[] {
  return messages.map((message) => ({ message }));
}

/** What leads to the head, one line a message; a message of results is one line a result. */
export function pathOf(session: Session): string[] {
  return session.view.messages().flatMap(({ message }) => linesOf(message));
}

/** What a list says, in the lines of {@link pathOf}; its system messages are left out. */
export function linesOfList(list: readonly ListedMessage[]): string[] {
  return list.flatMap(({ message }) => (message.role === 'system' ? [] : linesOf(message)));
}

function linesOf({ role, content }: Message): string[] {
  if (typeof content === 'string') return content === '' ? [] : [`${role}: ${content}`];
  const said = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'tool-call') return `calls ${part.toolCallId}`;
    return part.type === 'tool-result' ? `${part.toolCallId} gave ${String(part.output.value)}` : part.type;
  });
  if (role === 'tool') return said.map((line) => `tool: ${line}`);
  return said.length === 0 ? [] : [`${role}: ${said.join(' ')}`];
}

/** A session that ends with the test. */
export interface OpenTalk extends AsyncDisposable {
  readonly session: Session;
  readonly store: Store;
}

/** Opens a session of its own, on a store that others can open, too. */
export async function openTalk(store: Store = memoryStore()): Promise<OpenTalk> {
  const host = await createHost({ store });
  return { session: await host.open('talk'), store, [Symbol.asyncDispose]: () => host.close() };
}
