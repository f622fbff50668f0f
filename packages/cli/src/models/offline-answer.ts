import {
  createLexicalIndex,
  type JsonValue,
  type Message,
  type ModelRequest,
  partsOfMessage,
  type ToolDefinition,
  textOfOutput,
} from '@varve/core';

/** What the offline model does: it says something, or calls a tool. */
export type OfflineAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly toolName: string; readonly input: JsonValue };

const saveTool = 'memory_save';

/** What is quoted of a message, in characters. */
const quotedCharacters = 160;
const mostQuotes = 3;

/** Finds an answer in a prompt alone: what was said of the question, or else what there is. */
export function answerOffline(
  prompt: ModelRequest['prompt'],
  tools: readonly Pick<ToolDefinition, 'name'>[],
): OfflineAnswer {
  const last = prompt.messages.at(-1);
  if (last?.role === 'tool') return { kind: 'text', text: toolText(last) };
  const asked = askedIn(prompt.messages);
  const fact = /^\s*(?:please\s+)?remember(?:\s+that)?[:,]?\s+(\S[\s\S]*)$/i.exec(asked)?.[1];
  if (fact !== undefined && tools.some(({ name }) => name === saveTool)) {
    return { kind: 'call', toolName: saveTool, input: { text: fact.trim() } };
  }
  const hello = /\bgreet\b/i.test(asked) && prompt.messages.length === 1;
  if (hello) return { kind: 'text', text: `Hello! ${contextText(prompt)}` };
  const parts = isQuestion(asked) ? [foundText(prompt, asked)] : [];
  return { kind: 'text', text: [...parts, contextText(prompt)].join('\n\n') };
}

/** Summaries stand in square brackets; notes of plugins have a heading that says what they are. */
function isAside(text: string): boolean {
  return /^\s*(?:\[\p{Lu}|# .*: data, not instructions)/u.test(text);
}

/** What was said last; notes may stand behind it. */
function askedIn(messages: readonly Message[]): string {
  const texts = messages.filter(({ role }) => role === 'user').map(textOf);
  return texts.findLast((text) => !isAside(text)) ?? '';
}

function isQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text) || /^\s*(?:what|who|when|where|which|why|how|did|do|does|is|are)\b/i.test(text);
}

/** A passage of the prompt: a line of a layer, or a whole message. */
interface Passage {
  readonly from: string;
  readonly text: string;
}

function foundText(prompt: ModelRequest['prompt'], question: string): string {
  const passages = passagesOf(prompt, question);
  const index = createLexicalIndex();
  for (const [position, { text }] of passages.entries()) index.add({ id: position, text });
  const hits = index.search(question, { limit: mostQuotes });
  if (hits.length === 0) return 'Nothing else in this prompt speaks of that.';
  const lines = hits.map(({ id }) => {
    const passage = passages[Number(id)];
    return passage === undefined ? '' : `  ${passage.from}: “${shortened(passage.text)}”`;
  });
  return ['In this prompt I find:', ...lines].join('\n');
}

/** All but the question itself, which would answer to itself, and what was said here offline, which only repeats. */
function passagesOf({ system, messages }: ModelRequest['prompt'], question: string): readonly Passage[] {
  const layers = system.flatMap(({ layer, text }) => linesOf(layer, text));
  const said = messages
    .filter(({ role }) => role !== 'assistant')
    .flatMap((message): readonly Passage[] => {
      const text = textOf(message);
      if (isAside(text)) return linesOf('kept', text);
      return [{ from: message.role === 'user' ? 'you' : message.role, text }];
    });
  return [...layers, ...said].filter(({ text }) => text.trim() !== '' && !text.includes(question));
}

function linesOf(from: string, text: string): readonly Passage[] {
  return text.split('\n').map((line) => ({ from, text: line.trim() }));
}

function contextText({ system, messages }: ModelRequest['prompt']): string {
  const users = messages.filter(({ role }) => role === 'user').map(textOf);
  const yours = users.filter((text) => !isAside(text));
  const layers = [...new Set(system.map(({ layer }) => layer))];
  const kept = users.length - yours.length;
  const beside = [
    ...(kept === 0 ? [] : [`${counted(kept, 'text')} of what was kept of older ones`]),
    ...(layers.length === 0 ? [] : [`the ${layers.length === 1 ? 'layer' : 'layers'} ${layers.join(', ')}`]),
  ];
  const [oldest] = yours;
  return [
    `Offline: no model was asked. In this prompt: ${counted(messages.length - kept, 'message')}, ${yours.length} of yours` +
      `${beside.map((text) => `; ${text}`).join('')}.`,
    ...(oldest === undefined || yours.length < 2 ? [] : [`Your oldest one here: “${shortened(oldest)}”`]),
  ].join('\n');
}

function toolText(message: Message): string {
  const results = partsOfMessage(message).flatMap((part) =>
    part.type === 'tool-result' ? [`${part.toolName} answered: ${shortened(textOfOutput(part.output))}`] : [],
  );
  return results.join('\n');
}

function textOf(message: Message): string {
  return partsOfMessage(message)
    .map((part) => {
      if (part.type === 'text') return part.text;
      return part.type === 'tool-result' ? textOfOutput(part.output) : '';
    })
    .join('\n');
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * quotedCharacters)];
  return characters.length <= quotedCharacters && line.length <= 2 * quotedCharacters
    ? line
    : `${characters.slice(0, quotedCharacters).join('')}…`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
