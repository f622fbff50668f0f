import { type Message, type MessagePart, partsOfMessage, type ToolOutput } from '../message.ts';

/**
 * The texts of a message as a model reads them, in order: text and reasoning as they are, a tool call as its name and
 * the compact JSON of its input, a tool result as its texts unescaped or the compact JSON of its value.
 *
 * Images and files have no text here, and ids and provider options are left out.
 */
export function textsOfMessage(message: Message): readonly string[] {
  return partsOfMessage(message).flatMap(textsOfPart);
}

function textsOfPart(part: MessagePart): readonly string[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.text];
    case 'tool-call':
      return [part.toolName, JSON.stringify(part.input)];
    case 'tool-result':
      return textsOfOutput(part.output);
    case 'image':
    case 'file':
      return [];
  }
}

function textsOfOutput(output: ToolOutput): readonly string[] {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return [output.value];
    case 'json':
    case 'error-json':
      return [JSON.stringify(output.value)];
    case 'content':
      return output.value.flatMap(textsOfPart);
  }
}
