import { type AssistantMessage, type Message, partsOfMessage, type ToolOutput, type ToolResultPart } from '@varve/core';
import type { ListedPiMessage } from './from-pi.ts';
import { blocksOfPi, type PiBlock, type PiMessage } from './pi-message.ts';

/** Options of {@link toPi}. */
export interface ToPiOptions {
  /** The list that the prompt was made of: what the prompt has as it was comes back as the very object. @default none */
  readonly given?: readonly ListedPiMessage[] | undefined;
  /** The model that answers are said to be from, where the list has none. @default nobody knows */
  readonly model?: PiModelName | undefined;
}

/** A model as pi names it. */
export interface PiModelName {
  readonly id: string;
  readonly provider: string;
  readonly api: string;
}

/**
 * The messages of a prompt as pi, or OpenClaw, takes them. A message that is as the list had it is that object of the
 * list, so that whatever else it carries stays with it; what was shortened, summarised or recalled is a new one.
 * A result that was made up for a call of an answer that was aborted is left out: pi leaves out the answer, too.
 */
export function toPi(messages: readonly Message[], { given = [], model }: ToPiOptions = {}): PiMessage[] {
  const book = bookOf(given);
  const made: PiMessage[] = [];
  // What is made up has the time of what follows it: hosts write times into texts.
  let when = momentOf(given.at(-1)?.given);
  // The newest of several that say the same is the one that a prompt still has.
  for (const message of messages.toReversed()) {
    if (message.role === 'tool') {
      for (const part of message.content.toReversed()) {
        const result = resultOf(part, { book, when });
        if (result !== null) made.push(result);
        when = momentOf(result ?? undefined) ?? when;
      }
      continue;
    }
    const known = book.same.get(sayingOf(message))?.pop();
    const one =
      known ?? (message.role === 'assistant' ? answerOf(message, { book, model, when }) : userOf(message, when));
    made.push(one);
    when = momentOf(one) ?? when;
  }
  return made.reverse();
}

/** A list, by what its messages say. */
interface Book {
  readonly same: Map<string, PiMessage[]>;
  readonly answers: ReadonlyMap<string, PiMessage>;
  readonly results: ReadonlyMap<string, PiMessage>;
  readonly lastAnswer: PiMessage | undefined;
}

function bookOf(given: readonly ListedPiMessage[]): Book {
  const same = new Map<string, PiMessage[]>();
  const answers = new Map<string, PiMessage>();
  const results = new Map<string, PiMessage>();
  let lastAnswer: PiMessage | undefined;
  for (const { message, given: one } of given) {
    const saying = sayingOf(message);
    const known = same.get(saying);
    if (known === undefined) same.set(saying, [one]);
    else known.push(one);
    if (message.role === 'assistant') lastAnswer = one;
    for (const part of partsOfMessage(message)) {
      if (part.type === 'tool-call') answers.set(part.toolCallId, one);
      if (part.type === 'tool-result') results.set(part.toolCallId, one);
    }
  }
  return { same, answers, results, lastAnswer };
}

function sayingOf({ role, content }: Message): string {
  return JSON.stringify([role, content]);
}

function momentOf(message: PiMessage | undefined): number | undefined {
  const timestamp = message?.['timestamp'];
  return typeof timestamp === 'number' ? timestamp : undefined;
}

function userOf(message: Message, when = 0): PiMessage {
  return { role: 'user', content: partsOfMessage(message).map(contentOf), timestamp: when };
}

/** What is needed to make a message anew. */
interface Making {
  readonly book: Book;
  readonly when: number | undefined;
}

const left: ReadonlySet<unknown> = new Set(['aborted', 'error']);

function resultOf(part: ToolResultPart, { book, when = 0 }: Making): PiMessage | null {
  const { same, answers, results } = book;
  const known = same.get(sayingOf({ role: 'tool', content: [part] }))?.pop();
  if (known !== undefined) return known;
  const { toolCallId, toolName, output } = part;
  const before = results.get(toolCallId);
  if (before === undefined && left.has(answers.get(toolCallId)?.['stopReason'])) return null;
  const isError = output.type.startsWith('error') || before?.['isError'] === true;
  return {
    role: 'toolResult',
    toolCallId,
    toolName,
    timestamp: when,
    ...before,
    content: blocksOfOutput(output),
    isError,
  };
}

function blocksOfOutput({ type, value }: ToolOutput): readonly PiBlock[] {
  if (type === 'content') return value.map(contentOf);
  return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }];
}

function contentOf(part: ReturnType<typeof partsOfMessage>[number]): PiBlock {
  if (part.type === 'image') return { type: 'image', data: part.image, mimeType: part.mediaType ?? 'image/png' };
  if (part.type === 'text') return { type: 'text', text: part.text };
  return { type: 'text', text: part.type === 'file' ? `[file ${part.filename ?? part.mediaType}]` : '' };
}

const nothingUsed = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

function answerOf(
  message: AssistantMessage,
  { book, model, when = 0 }: Making & { readonly model: PiModelName | undefined },
): PiMessage {
  const parts = partsOfMessage(message);
  const [callId] = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
  const before = callId === undefined ? undefined : book.answers.get(callId);
  const blocks = before === undefined ? [] : blocksOfPi(before);
  const content = parts.flatMap((part) => answerBlocks(part, blocks));
  if (before !== undefined) return { ...before, content };
  return {
    role: 'assistant',
    content,
    api: book.lastAnswer?.['api'] ?? model?.api ?? 'unknown',
    provider: book.lastAnswer?.['provider'] ?? model?.provider ?? 'unknown',
    model: book.lastAnswer?.['model'] ?? model?.id ?? 'unknown',
    usage: nothingUsed,
    stopReason: callId === undefined ? 'stop' : 'toolUse',
    timestamp: when,
  };
}

/** Reasoning goes back only as the provider gave it: what is signed cannot be made anew. */
function answerBlocks(part: ReturnType<typeof partsOfMessage>[number], blocks: readonly PiBlock[]): readonly PiBlock[] {
  if (part.type === 'reasoning') {
    return blocks.filter(({ type, thinking }) => type === 'thinking' && thinking === part.text).slice(0, 1);
  }
  if (part.type !== 'tool-call') {
    const { text } = contentOf(part);
    return [blocks.find((block) => block.type === 'text' && block['text'] === text) ?? { type: 'text', text }];
  }
  const before = blocks.find(({ type, id }) => type === 'toolCall' && id === part.toolCallId);
  return [{ type: 'toolCall', id: part.toolCallId, name: part.toolName, ...before, arguments: part.input }];
}
