import {
  type AssistantMessage,
  type FilePart,
  type ImagePart,
  type Message,
  type Prompt,
  type TextPart,
  type UserMessage,
  VarveError,
} from '@varve/core';
import { mediaSource, notShown } from '../media-source.ts';
import { isFields, keptData, optionsOf } from './kept-data.ts';
import type {
  AiSdkFilePart,
  AiSdkOptions,
  AiSdkPrompt,
  AiSdkPromptMessage,
  AiSdkTextPart,
  AiSdkToolResultPart,
} from './messages.ts';
import { aiSdkOutput } from './outputs.ts';

/** Options of {@link toAiSdk}. */
export interface ToAiSdkOptions {
  /**
   * Where the prompt may be cached, as Anthropic wants to be told: marks behind the system prompt and behind what does
   * not change, that live five minutes or an hour. Other providers pass over them.
   *
   * @default 'none'
   */
  readonly cache?: '5m' | '1h' | 'none' | undefined;
}

/**
 * Turns a prompt into what a language model of the AI SDK takes, which `generateText` takes as `messages`, too. Pure.
 * What `fromAiSdk` has kept goes back as it came.
 *
 * @throws VARVE_OPTION_INVALID  for what is no prompt.
 */
export function toAiSdk(
  { system, messages, marks }: Pick<Prompt, 'system' | 'messages' | 'marks'>,
  { cache = 'none' }: ToAiSdkOptions = {},
): AiSdkPrompt {
  if (!Array.isArray(system) || !Array.isArray(messages)) throw noPrompt();
  const instructions = (system as Prompt['system']).flatMap(({ text }, index): Placed[] =>
    text.trim() === '' ? [] : [{ message: { role: 'system', content: text }, isStable: index < marks.afterSystem }],
  );
  const said = (messages as Prompt['messages']).flatMap((message, index): Placed[] =>
    aiSdkMessages(message).map((made) => ({ message: made, isStable: index < marks.afterStable })),
  );
  return [...marked(instructions, cache), ...marked(said, cache)];
}

/** A message, and whether it stands before a mark of the prompt. */
interface Placed {
  readonly message: AiSdkPromptMessage;
  readonly isStable: boolean;
}

/** Marks the last message that does not change. */
function marked(placed: readonly Placed[], cache: NonNullable<ToAiSdkOptions['cache']>): AiSdkPrompt {
  const at = cache === 'none' ? -1 : placed.findLastIndex(({ isStable }) => isStable);
  return placed.map(({ message }, index) => (index === at ? withMark(message, cache) : message));
}

function withMark(message: AiSdkPromptMessage, cache: '5m' | '1h' | 'none'): AiSdkPromptMessage {
  const cacheControl = { type: 'ephemeral', ...(cache === '1h' ? { ttl: '1h' } : {}) };
  const { anthropic = {}, ...others } = message.providerOptions ?? {};
  return { ...message, providerOptions: { ...others, anthropic: { ...anthropic, cacheControl } } };
}

function aiSdkMessages(message: Message): AiSdkPrompt {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return userMessage(message);
    case 'assistant':
      return assistantMessage(message);
    case 'tool':
      return [
        {
          role: 'tool',
          content: message.content.map((part): AiSdkToolResultPart => {
            const { toolCallId, toolName } = part;
            return { type: 'tool-result', toolCallId, toolName, output: aiSdkOutput(part), ...optionsOf(part) };
          }),
        },
      ];
  }
}

function userMessage({ content }: UserMessage): AiSdkPrompt {
  if (typeof content === 'string')
    return content === '' ? [] : [{ role: 'user', content: [{ type: 'text', text: content }] }];
  const [first] = content;
  const whole = first === undefined ? undefined : keptData(first).message;
  if (whole !== undefined && isEmptyText(first)) return [whole as unknown as AiSdkPromptMessage];
  const parts = content.flatMap(contentPart);
  return parts.length === 0 ? [] : [{ role: 'user', content: parts, ...messageOptions(content) }];
}

function assistantMessage({ content }: AssistantMessage): AiSdkPrompt {
  if (typeof content === 'string') {
    return content === '' ? [] : [{ role: 'assistant', content: [{ type: 'text', text: content }] }];
  }
  type Parts = Extract<AiSdkPromptMessage, { role: 'assistant' }>['content'];
  const parts = content.flatMap((part): Parts => {
    if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text, ...optionsOf(part) }];
    if (part.type !== 'tool-call') return contentPart(part);
    const { toolCallId, toolName, input } = part;
    return [{ type: 'tool-call', toolCallId, toolName, input, ...optionsOf(part) }];
  });
  return parts.length === 0 ? [] : [{ role: 'assistant', content: parts, ...messageOptions(content) }];
}

function messageOptions([first]: readonly Pick<TextPart, 'providerOptions'>[]): { providerOptions?: AiSdkOptions } {
  const kept = first === undefined ? undefined : keptData(first).messageOptions;
  return isFields(kept) ? { providerOptions: kept as AiSdkOptions } : {};
}

function isEmptyText(part: TextPart | ImagePart | FilePart | undefined): boolean {
  return part?.type === 'text' && part.text === '';
}

function contentPart(part: TextPart | ImagePart | FilePart): (AiSdkTextPart | AiSdkFilePart)[] {
  if (part.type !== 'text') return [filePart(part)];
  const { part: kept } = keptData(part);
  // A text that was put in the place of a kept part by an edit is what is to be seen.
  if (kept !== undefined && part.text === '') return [kept as unknown as AiSdkTextPart];
  const options = optionsOf(part);
  return part.text === '' && options.providerOptions === undefined
    ? []
    : [{ type: 'text', text: part.text, ...options }];
}

function filePart(part: ImagePart | FilePart): AiSdkTextPart | AiSdkFilePart {
  const isImage = part.type === 'image';
  const source = mediaSource(isImage ? part.image : part.data, part.mediaType);
  if (source.type === 'base64' && source.data === '') {
    return { type: 'text', text: notShown(isImage ? 'image' : 'file', part.mediaType) };
  }
  const filename = isImage ? keptData(part).filename : part.filename;
  return {
    type: 'file',
    data: source.type === 'url' ? new URL(source.url) : source.data,
    mediaType: (source.type === 'url' ? part.mediaType : source.mediaType) ?? (isImage ? 'image/*' : part.mediaType),
    ...(filename === undefined ? {} : { filename }),
    ...optionsOf(part),
  };
}

function noPrompt(): VarveError {
  return new VarveError('VARVE_OPTION_INVALID', 'No prompt of the AI SDK can be made of this.', {
    fix: 'Give a prompt of session.assemble.',
    details: { path: 'prompt' },
  });
}
