import type { Message, MessagePart, ToolOutput } from '@varve/core';

/** A message as a text to be read: its parts one below the other, each call and result with the name of its tool. */
export function messageText({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.map(partText).join('\n\n');
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `[reasoning]\n${part.text}`;
    case 'tool-call':
      return `[calls ${part.toolName}]\n${jsonText(part.input)}`;
    case 'tool-result':
      return `[result of ${part.toolName}]\n${outputText(part.output)}`;
    case 'image':
      return '[image]';
    case 'file':
      return `[file ${part.filename ?? part.mediaType}]`;
  }
}

function outputText(output: ToolOutput): string {
  if (output.type === 'content') return output.value.map(partText).join('\n');
  return jsonText(output.value);
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
