import type { JsonValue, Message, ToolCallPart, ToolDefinition, ToolOutput } from '@varve/core';
import type { AdapterPrompt } from './adapter-subject.ts';

/** A tool whose name every provider takes. */
export const plainTool: ToolDefinition = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
};

/** A prompt of these messages, without marks. */
export function promptOf(messages: readonly Message[], system: readonly string[] = []): AdapterPrompt {
  return {
    system: system.map((text, index) => ({ layer: `layer-${index}`, text })),
    messages,
    marks: { afterSystem: 0, afterStable: 0 },
  };
}

/** A message of the user's. */
export function asks(content: string): Message {
  return { role: 'user', content };
}

/** A message of the model's. */
export function says(content: string): Message {
  return { role: 'assistant', content };
}

/** One call of a tool with its result. */
export interface Round {
  readonly id: string;
  readonly input?: JsonValue;
  readonly output?: ToolOutput;
  readonly toolName?: string;
}

function callOf({ id, input = {}, toolName = plainTool.name }: Round): ToolCallPart {
  return { type: 'tool-call', toolCallId: id, toolName, input };
}

function resultOf({ id, output = { type: 'text', value: 'done' }, toolName = plainTool.name }: Round): Message {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName, output }] };
}

/** Calls that the model makes at once, and their results, a message each. */
export function atOnce(rounds: readonly Round[]): readonly Message[] {
  return [{ role: 'assistant', content: rounds.map(callOf) }, ...rounds.map(resultOf)];
}

/** Calls that the model makes one after the other, each with its result. */
export function oneByOne(rounds: readonly Round[]): readonly Message[] {
  return rounds.flatMap((round) => atOnce([round]));
}

/** Numbers texts so that each can be found again, and none is part of another. */
export function mark(number: number): string {
  return `<silt ${number}>`;
}

/** A conversation with a bit of everything; its texts are the marks from 0 on, in order. */
export function variedMessages(): readonly Message[] {
  const text = (value: string): ToolOutput => ({ type: 'text', value });
  return [
    asks(mark(0)),
    { role: 'assistant', content: [{ type: 'text', text: mark(1) }, callOf({ id: 'a', input: { path: mark(2) } })] },
    resultOf({ id: 'a', output: text(mark(3)) }),
    says(mark(4)),
    asks(mark(5)),
    ...atOnce([
      { id: 'b', input: { path: mark(6) }, output: { type: 'json', value: { lines: [mark(8)] } } },
      { id: 'c', input: { path: mark(7) }, output: { type: 'content', value: [{ type: 'text', text: mark(9) }] } },
    ]),
    says(mark(10)),
    { role: 'user', content: [{ type: 'text', text: mark(11) }] },
  ];
}

/** How many marks {@link variedMessages} has. */
export const variedMarks = 12;
