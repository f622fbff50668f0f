import {
  type AssistantMessage,
  createTokenCounter,
  type Entry,
  type Message,
  type ModelCallOptions,
  type ModelPort,
  type ModelReply,
  type ModelRequest,
  type Session,
  type StopReason,
  type TokenCounter,
  type Tool,
  type ToolCallOptions,
  type ToolOutput,
  VarveError,
} from '@varve/core';

/** Counts words, so that what a test says is what is counted. */
export const wordCounter: TokenCounter = createTokenCounter(
  'words',
  (text) => text.split(/\s+/).filter((word) => word !== '').length,
);

/** What the model does at one call: answers, fails, or whatever a function does. */
export type Script = ModelReply | Error | ((request: ModelRequest, options: ModelCallOptions) => Promise<ModelReply>);

/** A model that does as it is told, and what it was asked. */
export interface ScriptedModel {
  readonly port: ModelPort;
  readonly requests: ModelRequest[];
}

/** A model with a script; at its end it says `done`. */
export function scriptedModel(scripts: readonly Script[], ref = { provider: 'test', model: 'test-1' }): ScriptedModel {
  const requests: ModelRequest[] = [];
  const generate: ModelPort['generate'] = async (request, options = {}) => {
    const script = scripts[requests.length] ?? say('done');
    requests.push(request);
    if (script instanceof Error) throw script;
    return typeof script === 'function' ? script(request, options) : script;
  };
  return { port: { ref, generate }, requests };
}

/** An answer of text. */
export function say(text: string, stop: StopReason = 'stop'): ModelReply {
  return answer({ role: 'assistant', content: text, stop });
}

/** One call in an answer. */
export type ScriptedCall = readonly [id: string, name: string, input?: unknown];

/** An answer that calls tools, by id and name. */
export function call(...calls: readonly ScriptedCall[]): ModelReply {
  const content = calls.map(([toolCallId, toolName, input = {}]) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName,
    input: input as never,
  }));
  return answer({ role: 'assistant', content, stop: 'tool-calls' });
}

/** An answer with a usage of 100 tokens in and 10 out. */
export function answer(message: AssistantMessage): ModelReply {
  return { message, usage: { inputTokens: 100, outputTokens: 10 } };
}

/** What a port throws for a prompt that is too long. */
export function overflow(details: { readonly limit?: number; readonly given?: number } = {}): VarveError {
  return new VarveError('VARVE_MODEL_OVERFLOW', 'Too long.', { fix: 'Shorten it.', details });
}

/** What a port throws for any other failure. */
export function failure(kind = 'server'): VarveError {
  return new VarveError('VARVE_MODEL_FAILED', 'No.', { fix: 'Later.', details: { kind, retryable: true } });
}

/** A tool of the host, and how often it was called with which id. */
export interface CountedTool extends Tool {
  readonly ran: string[];
}

/** A tool that counts its calls. */
export function tool(
  name: string,
  execute: (input: unknown, options: ToolCallOptions) => unknown = () => ({ type: 'text', value: `${name} did it` }),
  more: Partial<Tool> = {},
): CountedTool {
  const ran: string[] = [];
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    ran,
    execute: async (input, options) => {
      ran.push(options.toolCallId);
      return (await execute(input, options)) as ToolOutput;
    },
    ...more,
  };
}

/** A promise, and how it is settled. */
export function deferred<Value>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve = (_: Value): void => undefined;
  let reject = (_: unknown): void => undefined;
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Lets everything run that waits for no clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) await null;
}

/** A message of the user. */
export function user(content: string): Message {
  return { role: 'user', content };
}

/** All entries of a session, with what is pending. */
export async function entriesOf(session: Session): Promise<Entry[]> {
  await session.explain().catch(() => undefined);
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

/** The messages of a session, in the order in which they were stored, as `user: text` or `tool a: text`. */
export async function linesOf(session: Session): Promise<string[]> {
  const entries = await entriesOf(session);
  return entries.flatMap((entry) => (entry.type === 'message' ? [lineOf(entry.message)] : []));
}

/** One message as a line. */
export function lineOf(message: Message): string {
  const { role, content } = message;
  if (typeof content === 'string') return `${role}: ${content}`;
  const parts = content.map((part) => {
    if (part.type === 'tool-call') return `calls ${part.toolName} ${part.toolCallId}`;
    if (part.type === 'tool-result') return `${part.toolCallId} ${part.output.type} ${String(part.output.value)}`;
    return part.type === 'text' || part.type === 'reasoning' ? part.text : part.type;
  });
  return `${role}: ${parts.join(', ')}`;
}

/** True when every call of a prompt has exactly one result right behind it, and every result a call. */
export function isPaired(messages: readonly Message[]): boolean {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const { toolCallId } of message.content) {
        if (open[0] !== toolCallId) return false;
        open.shift();
      }
      continue;
    }
    if (open.length > 0) return false;
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      open = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    }
  }
  return open.length === 0;
}
