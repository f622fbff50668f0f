import type { ToolOutput } from '@varve/core';
import type { FormatReader } from './format-reader.ts';
import { isObject, type JsonObject, momentAt, stringAt, valueAt } from './json-guards.ts';
import { openAiMessageReader } from './openai-messages.ts';
import { outputOfValue } from './tool-output.ts';
import type { TranscriptRecord } from './transcript-record.ts';

/** True for a line that holds a call and its result at once. */
export function isFlatToolLine(value: JsonObject): boolean {
  if (stringAt(value, 'role') !== 'tool' || stringAt(value, 'name') === undefined) return false;
  return valueAt(value, 'output') !== undefined && valueAt(value, 'content') === undefined;
}

/**
 * Reads flat lines, `{"role", "content", "timestamp"}`. A line of a tool is two messages: the model's call, which is
 * one call of the model, and the result. Its number is the id of the call.
 */
export function flatLineReader(): FormatReader {
  const read = openAiMessageReader({});
  return {
    read({ line, value }) {
      if (isObject(value) && isFlatToolLine(value)) return toolRecords(line, value);
      return read({ value, line, key: `line:${line}` });
    },
    end: () => [],
  };
}

function toolRecords(line: number, value: JsonObject): TranscriptRecord[] {
  const key = `line:${line}`;
  const named = { toolCallId: key, toolName: stringAt(value, 'name') || 'unknown' };
  const record = { kind: 'message', line, lines: [line], at: momentAt(value, 'timestamp') } as const;
  const call = { type: 'tool-call', ...named, input: valueAt(value, 'input') ?? {} } as const;
  const result = { type: 'tool-result', ...named, output: outputOf(value) } as const;
  return [
    { ...record, key, message: { role: 'assistant', content: [call] }, call: { model: stringAt(value, 'model') } },
    { ...record, key: `${key}.2`, message: { role: 'tool', content: [result] } },
  ];
}

function outputOf(value: JsonObject): ToolOutput {
  const isError = valueAt(value, 'isError') === true || valueAt(value, 'is_error') === true;
  return outputOfValue(valueAt(value, 'output'), isError);
}
