import {
  type JsonValue,
  type MessagePart,
  type Prompt,
  partsOfMessage,
  type ToolDefinition,
  type ToolResultPart,
} from '@varve/core';

/** A part of a turn, as `generateContent` has it. */
interface GeminiPart {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly functionCall?: { readonly name: string; readonly args: JsonValue };
  readonly functionResponse?: { readonly name: string; readonly response: { readonly output: JsonValue } };
}

/** A turn. */
interface GeminiTurn {
  readonly role: 'user' | 'model';
  readonly parts: GeminiPart[];
}

/** A body of `generateContent`; the model, which is in the address, is named in it as the rules have it. */
export interface GeminiBody {
  readonly model: string;
  readonly systemInstruction?: { readonly parts: readonly GeminiPart[] };
  readonly contents: readonly GeminiTurn[];
  readonly tools: readonly { readonly functionDeclarations: readonly object[] }[];
}

const opening: GeminiPart = { text: '[The conversation begins here.]' };
const going: GeminiPart = { text: '[Go on.]' };

/** The body that a plain client of Gemini makes of a prompt: neighbours of one role are one turn, results come first. */
export function geminiBody(
  { system, messages }: Pick<Prompt, 'system' | 'messages'>,
  { model, tools }: { readonly model: string; readonly tools: readonly ToolDefinition[] },
): GeminiBody {
  const contents: GeminiTurn[] = [];
  const add = (role: GeminiTurn['role'], parts: readonly GeminiPart[]): void => {
    if (parts.length === 0) return;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  };
  for (const message of messages)
    add(message.role === 'assistant' ? 'model' : 'user', partsOfMessage(message).flatMap(partOf));
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [opening] });
  if (contents.at(-1)?.role === 'model') add('user', [going]);
  const texts = system
    .filter(({ text }) => text.trim() !== '')
    .map(({ text }): GeminiPart => ({ text: wellFormed(text) }));
  const functionDeclarations = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parameters: inputSchema,
  }));
  return {
    model,
    ...(texts.length === 0 ? {} : { systemInstruction: { parts: texts } }),
    contents,
    tools: [{ functionDeclarations }],
  };
}

function partOf(part: MessagePart): readonly GeminiPart[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ text: wellFormed(part.text) }];
    case 'image':
      return [{ inlineData: { mimeType: part.mediaType ?? 'image/png', data: part.image } }];
    case 'file':
      return [{ inlineData: { mimeType: part.mediaType, data: part.data } }];
    case 'tool-call':
      return [
        { functionCall: { name: part.toolName, args: isObject(part.input) ? part.input : { input: part.input } } },
      ];
    case 'tool-result':
      return [{ functionResponse: { name: part.toolName, response: { output: outputOf(part) } } }];
    default:
      return [];
  }
}

/** A half of a character cannot be sent. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function isObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function outputOf({ output }: ToolResultPart): JsonValue {
  if (output.type !== 'content') return typeof output.value === 'string' ? wellFormed(output.value) : output.value;
  return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
