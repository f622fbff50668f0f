import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BaseMessage } from '@langchain/core/messages';
import type { Message } from '@varve/core';

/** What LangChain does with the messages of an agent. */
export interface LangChain {
  messagesOf(messages: readonly Message[]): readonly BaseMessage[];
  /** `trimMessages`: the newest messages of so many tokens. */
  trim(messages: readonly BaseMessage[], tokens: number): Promise<readonly BaseMessage[]>;
  /** `ClearToolUsesEdit`: old tool results are cleared, all but the newest three. Resolves to how many were. */
  clearToolUses(messages: readonly BaseMessage[]): Promise<number>;
}

type CountTokens = (messages: BaseMessage[]) => number;

/** Tokens from which on tool results are cleared. */
const triggerTokens = 100_000;

/** LangChain. @throws when it is not installed. */
export async function loadLangChain(): Promise<LangChain> {
  const { AIMessage, HumanMessage, ToolMessage, trimMessages } = await import('@langchain/core/messages');
  const { ClearToolUsesEdit } = await import('langchain');
  const countTokens = await loadCounter();
  const one = (message: Message): BaseMessage => {
    if (message.role === 'tool') {
      const [result] = message.content;
      const { toolCallId = '', toolName = '', output } = result ?? {};
      return new ToolMessage({
        content: output?.type === 'text' ? output.value : '',
        tool_call_id: toolCallId,
        name: toolName,
      });
    }
    if (message.role !== 'assistant') return new HumanMessage(textOf(message));
    const parts = typeof message.content === 'string' ? [] : message.content;
    const calls = parts.flatMap((part) =>
      part.type === 'tool-call'
        ? [{ id: part.toolCallId, name: part.toolName, args: part.input as Record<string, unknown> }]
        : [],
    );
    return new AIMessage({ content: textOf(message), tool_calls: calls });
  };
  return {
    messagesOf: (messages) => messages.map(one),
    trim: (messages, maxTokens) =>
      trimMessages([...messages], { maxTokens, strategy: 'last', tokenCounter: countTokens }),
    clearToolUses: async (given) => {
      const messages = [...given];
      const edit = new ClearToolUsesEdit({ trigger: { tokens: triggerTokens }, keep: { messages: 3 } });
      await edit.apply({ messages, countTokens } as never);
      return messages.filter((message, index) => message !== given[index]).length;
    },
  };
}

/** The counter that LangChain's middleware uses by default; it is not among its exports. */
async function loadCounter(): Promise<CountTokens> {
  const main = createRequire(import.meta.url).resolve('langchain');
  const file = join(dirname(main), 'agents/middleware/utils.js');
  const { countTokensApproximately } = (await import(pathToFileURL(file).href)) as {
    readonly countTokensApproximately: CountTokens;
  };
  return countTokensApproximately;
}

function textOf({ content }: Exclude<Message, { readonly role: 'tool' }>): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
