import type { SeenProvider } from './observation.ts';

/** One thing in a body, whatever the API calls it. Reasoning, images and files are none. */
export interface BodyPiece {
  readonly kind: 'system' | 'text' | 'call' | 'result';
  readonly role: 'system' | 'user' | 'assistant';
  /** What is said; for a call its name. */
  readonly text: string;
  /** Joins a call and its result; `null` where the API has no such thing. */
  readonly id: string | null;
}

type Fields = { readonly [field: string]: unknown };

/** The pieces of a body, in its order. */
export function readBody(provider: SeenProvider, body: unknown): readonly BodyPiece[] {
  return readers[provider](body as Fields);
}

const readers: Readonly<Record<SeenProvider, (body: Fields) => readonly BodyPiece[]>> = {
  anthropic: ({ system, messages }) => [
    ...textsOf(system).map(systemPiece),
    ...listOf(messages).flatMap(({ role, content }) => blocksOf(content).map((block) => anthropicPiece(block, role))),
  ],
  'openai-chat': ({ messages }) => listOf(messages).flatMap(chatPieces),
  'openai-responses': ({ instructions, input }) => [
    ...textsOf(instructions).map(systemPiece),
    ...listOf(input).flatMap(itemPieces),
  ],
  gemini: ({ systemInstruction, contents }) => [
    ...partsOf(systemInstruction).map(({ text }) => systemPiece(String(text))),
    ...listOf(contents).flatMap(({ role, parts }) => listOf(parts).flatMap((part) => geminiPieces(part, role))),
  ],
};

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

/** Content as blocks: a string is one. */
function blocksOf(content: unknown): readonly Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

function textsOf(content: unknown): readonly string[] {
  return blocksOf(content).flatMap(({ text, refusal }) => {
    const said = text ?? refusal;
    return typeof said === 'string' ? [said] : [];
  });
}

function systemPiece(text: string): BodyPiece {
  return { kind: 'system', role: 'system', text, id: null };
}

function textPiece(text: string, role: unknown): BodyPiece {
  if (role === 'system' || role === 'developer') return systemPiece(text);
  return { kind: 'text', role: role === 'assistant' || role === 'model' ? 'assistant' : 'user', text, id: null };
}

function fieldsOf(value: unknown): Fields {
  return (value ?? {}) as Fields;
}

function partsOf(turn: unknown): readonly Fields[] {
  const { parts } = fieldsOf(turn);
  return listOf(parts);
}

function callPiece(name: unknown, id: unknown): BodyPiece {
  return { kind: 'call', role: 'assistant', text: String(name), id: typeof id === 'string' ? id : null };
}

function resultPiece(content: unknown, id: unknown): BodyPiece {
  return { kind: 'result', role: 'user', text: textsOf(content).join('\n'), id: typeof id === 'string' ? id : null };
}

function anthropicPiece({ type, text, id, name, tool_use_id: callId, content }: Fields, role: unknown): BodyPiece {
  if (type === 'tool_use') return callPiece(name, id);
  if (type === 'tool_result') return resultPiece(content, callId);
  return textPiece(type === 'text' ? String(text) : '', role);
}

function chatPieces({ role, content, tool_calls: calls, tool_call_id: callId }: Fields): readonly BodyPiece[] {
  if (role === 'tool') return [resultPiece(content, callId)];
  return [
    ...textsOf(content).map((text) => textPiece(text, role)),
    ...listOf(calls).map(({ id, function: called }) => {
      const { name } = fieldsOf(called);
      return callPiece(name, id);
    }),
  ];
}

function itemPieces({ type, role, content, name, call_id: callId, output }: Fields): readonly BodyPiece[] {
  if (type === 'function_call') return [callPiece(name, callId)];
  if (type === 'function_call_output') return [resultPiece(output, callId)];
  return textsOf(content).map((text) => textPiece(text, role));
}

function geminiPieces({ text, functionCall, functionResponse }: Fields, role: unknown): readonly BodyPiece[] {
  if (functionCall !== undefined) {
    const { name } = fieldsOf(functionCall);
    return [callPiece(name, null)];
  }
  if (functionResponse === undefined) return [textPiece(typeof text === 'string' ? text : '', role)];
  const { response } = fieldsOf(functionResponse);
  const { output } = fieldsOf(response);
  return [resultPiece(typeof output === 'string' ? output : JSON.stringify(output), null)];
}
