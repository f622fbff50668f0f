import type { AnthropicBlock, AnthropicMessage, AnthropicRequest } from '@varve/adapters/anthropic';

/**
 * Holds a request against the rules of Anthropic's Messages API, apart from the code that made it.
 *
 * @returns What the provider would refuse first; `null` for a valid request.
 */
export function checkBody({ messages }: AnthropicRequest): string | null {
  if (messages.length === 0) return 'there is no message';
  if (messages[0]?.role !== 'user') return 'the first message is not of the user';
  const ids = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const problem = problemOf(message, { before: messages[index - 1], open, ids });
    if (problem !== null) return `messages[${index}]: ${problem}`;
    open = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  }
  return open.length === 0 ? null : `the call ${open[0]} has no result`;
}

interface Place {
  readonly before: AnthropicMessage | undefined;
  /** Calls of the message before. */
  readonly open: readonly string[];
  /** All ids of calls so far. */
  readonly ids: Set<string>;
}

function problemOf({ role, content }: AnthropicMessage, { before, open, ids }: Place): string | null {
  if (before?.role === role) return `two messages of the ${role} in a row`;
  if (content.length === 0) return 'it is empty';
  const answered = content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  const stray = answered.find((id) => !open.includes(id));
  if (stray !== undefined) return `the result ${stray} answers no call of the message before`;
  if (new Set(answered).size < answered.length) return 'a call is answered twice';
  const missing = open.find((id) => !answered.includes(id));
  if (missing !== undefined) return `the call ${missing} has no result`;
  for (const block of content) {
    const problem = blockProblem(block, role);
    if (problem !== null) return problem;
    if (block.type === 'tool_use' && ids.has(block.id)) return `two calls have the id ${block.id}`;
    if (block.type === 'tool_use') ids.add(block.id);
  }
  return null;
}

function blockProblem(block: AnthropicBlock, role: AnthropicMessage['role']): string | null {
  if (block.type === 'text' && block.text.trim() === '') return 'a text is blank';
  const ofAssistant = block.type === 'tool_use' || block.type === 'thinking' || block.type === 'redacted_thinking';
  if (ofAssistant && role === 'user') return `a ${block.type} block of the user`;
  return block.type === 'tool_result' && role === 'assistant' ? 'a tool_result block of the assistant' : null;
}
