import { textOfOutput } from './count-tokens.ts';
import type { SeenEdit, SeenEntry, SeenMessage, SeenPart } from './observation.ts';
import type { OwnFold } from './own-fold.ts';

/** A message that a prompt must have unless its group is left out. */
export interface OwnMessage {
  /** The entry; `null` for a result that no tool gave. */
  readonly entry: SeenEntry | null;
  readonly group: number;
  readonly message: SeenMessage;
  /** For each part, its index in the entry's message; -1 for what was made up. */
  readonly parts: readonly number[];
  /** The rule that closing pairs followed with it. */
  readonly rule: string | null;
}

/** The conversation that a prompt is made from. */
export interface OwnThread {
  readonly messages: readonly OwnMessage[];
  /** Seqs of entries that hold nothing. */
  readonly empty: ReadonlySet<number>;
  /** Seqs of halves of answers that the user said nothing to. */
  readonly unfinished: ReadonlySet<number>;
  /** Index of the first message of the running turn. */
  readonly liveFrom: number;
  readonly lastAssistant: number;
}

interface Result {
  readonly entry: SeenEntry;
  readonly part: SeenPart;
  readonly index: number;
  /** Whether a call before it has its id. */
  readonly isAsked: boolean;
}

interface Call {
  readonly part: SeenPart;
  readonly id: string;
  result: Result | null;
}

/** Stands for a text that an edit took away. */
const emptied = '[left out]';
const interrupted = '[No result: the tool call was interrupted, or is still running.]';

/** Lines the visible messages up: results behind their calls, whatever is odd about them closed or shown as text. */
export function threadOf({ visible, edits }: Pick<OwnFold, 'visible' | 'edits'>): OwnThread {
  const shown = visible
    .filter((entry) => entry.message?.role !== 'system')
    .map((entry) => ({ entry, message: withEdits(entry.message as SeenMessage, edits.get(entry.id)) }));
  const { calls, orphans } = matchResults(shown);
  const messages: OwnMessage[] = [];
  const empty = new Set<number>();
  for (const [group, { entry, message }] of shown.entries()) {
    if (message.content.length === 0) empty.add(entry.seq);
    else if (message.role === 'tool') {
      for (const orphan of orphans.get(group) ?? []) messages.push(orphanText(orphan, group));
    } else messages.push(renamed({ entry, message, calls: calls.get(group) ?? [], group }));
    messages.push(...answers(calls.get(group) ?? [], group));
  }
  const { kept, unfinished } = withoutHalves(messages);
  const lastAssistant = kept.findLastIndex(({ message }) => message.role === 'assistant' && !isHalf(message));
  return { messages: kept, empty, unfinished, lastAssistant, liveFrom: liveFrom(kept) };
}

/** An answer that was aborted, or failed, before it called anything. */
function isHalf(message: SeenMessage): boolean {
  const isCut = message.stop === 'aborted' || message.stop === 'error';
  return message.role === 'assistant' && isCut && callsOf(message).length === 0;
}

/** Half an answer is read only where words of the user's side follow it. */
function withoutHalves(messages: readonly OwnMessage[]): {
  readonly kept: readonly OwnMessage[];
  readonly unfinished: ReadonlySet<number>;
} {
  const gone = messages.filter(({ message }, index) => isHalf(message) && messages[index + 1]?.message.role !== 'user');
  const unfinished = new Set(gone.flatMap(({ entry }) => (entry === null ? [] : [entry.seq])));
  return { kept: messages.filter((one) => !gone.includes(one)), unfinished };
}

function withEdits(message: SeenMessage, edits: ReadonlyMap<number, SeenEdit> | undefined): SeenMessage {
  if (edits === undefined) return message;
  const { content } = message;
  const texts = new Map([...edits].map(([part, { text }]) => [part, text.trim() === '' ? emptied : text]));
  if (typeof content === 'string') return { ...message, content: [...texts.values()].at(-1) ?? content };
  return { ...message, content: content.map((part, index) => withText(part, texts.get(index))) };
}

/** The part with another text. */
export function withText(part: SeenPart, text: string | undefined): SeenPart {
  if (text === undefined) return part;
  if (part.output === undefined) return part.text === undefined ? part : { ...part, text };
  return { ...part, output: { type: part.output.type.startsWith('error') ? 'error-text' : 'text', value: text } };
}

/** The first result with a call's id behind it is its result; one that stands right before the calls comes next. */
function matchResults(shown: readonly { readonly entry: SeenEntry; readonly message: SeenMessage }[]): {
  readonly calls: ReadonlyMap<number, readonly Call[]>;
  readonly orphans: ReadonlyMap<number, readonly Result[]>;
} {
  const calls = new Map<number, readonly Call[]>();
  const orphans = new Map<number, Result[]>();
  const used = new Set<string>();
  const openById = new Map<string, readonly Call[]>();
  let waiting: { readonly group: number; readonly result: Result }[] = [];
  const early: { readonly group: number; readonly result: Result; readonly next: readonly Call[] }[] = [];
  for (const [group, { entry, message }] of shown.entries()) {
    const made = callsOf(message).map(
      (part): Call => ({ part, id: unused(part.toolCallId ?? '', used), result: null }),
    );
    if (made.length > 0) calls.set(group, made);
    for (const { part } of made) openById.set(part.toolCallId ?? '', made);
    if (message.role === 'assistant') {
      early.push(...waiting.map((one) => ({ ...one, next: made })));
      waiting = [];
    }
    if (message.role !== 'tool') continue;
    for (const [index, part] of (message.content as readonly SeenPart[]).entries()) {
      const result = { entry, part, index, isAsked: openById.has(part.toolCallId ?? '') };
      if (!take(openById.get(part.toolCallId ?? '') ?? [], result)) waiting.push({ group, result });
    }
  }
  for (const { group, result, next } of [...early, ...waiting.map((one) => ({ ...one, next: [] }))]) {
    if (!take(next, result)) orphans.set(group, [...(orphans.get(group) ?? []), result]);
  }
  return { calls, orphans };
}

function callsOf({ role, content }: SeenMessage): readonly SeenPart[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.filter((part) => part.type === 'tool-call');
}

function take(calls: readonly Call[], result: Result): boolean {
  const call = calls.find((one) => one.part.toolCallId === result.part.toolCallId && one.result === null);
  if (call !== undefined) call.result = result;
  return call !== undefined;
}

function unused(wanted: string, used: Set<string>): string {
  let id = wanted;
  for (let copy = 2; used.has(id); copy += 1) id = `${wanted}~${copy}`;
  used.add(id);
  return id;
}

function renamed(made: {
  readonly entry: SeenEntry;
  readonly message: SeenMessage;
  readonly calls: readonly Call[];
  readonly group: number;
}): OwnMessage {
  const { entry, message, calls, group } = made;
  const parts = typeof message.content === 'string' ? [0] : message.content.map((_, index) => index);
  if (calls.every(({ id, part }) => id === part.toolCallId)) return { entry, group, message, parts, rule: null };
  const left = [...calls];
  const content = (message.content as readonly SeenPart[]).map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: left.shift()?.id } : part,
  );
  return { entry, group, message: { ...message, content }, parts, rule: 'duplicate-call-id' };
}

/** Results in the order of the calls; those that one entry gave, one after the other, are one message. */
function answers(calls: readonly Call[], group: number): readonly OwnMessage[] {
  const messages: { entry: SeenEntry | null; content: SeenPart[]; parts: number[] }[] = [];
  for (const { id, part, result } of calls) {
    const entry = result?.entry ?? null;
    if (messages.length === 0 || messages.at(-1)?.entry !== entry) messages.push({ entry, content: [], parts: [] });
    const last = messages.at(-1);
    const output = { type: 'error-text', value: interrupted };
    const { toolName } = part;
    last?.content.push({ ...(result?.part ?? { type: 'tool-result', toolName, output }), toolCallId: id });
    last?.parts.push(result?.index ?? -1);
  }
  return messages.map(({ entry, content, parts }): OwnMessage => {
    return { entry, group, message: { role: 'tool', content }, parts, rule: null };
  });
}

function orphanText({ entry, part, index, isAsked }: Result, group: number): OwnMessage {
  const unknown = 'Result of a tool call that is not in this conversation';
  const what = isAsked ? `A second result of call ${part.toolCallId}` : unknown;
  const content = [
    { type: 'text', text: `[${what}: ${part.toolName}]` },
    { type: 'text', text: textOfOutput(part.output ?? { type: 'text', value: '' }) },
  ];
  return { entry, group, message: { role: 'user', content }, parts: [-1, index], rule: 'orphan-result' };
}

/** The running turn begins with the newest words of a person. */
function liveFrom(messages: readonly OwnMessage[]): number {
  const given = messages.filter(({ entry }) => entry?.message?.role === 'user');
  const spoken = given.filter(({ entry }) => entry !== null && isSpoken(entry));
  const newest = (spoken.length === 0 ? given : spoken).at(-1);
  return newest === undefined ? messages.length : messages.indexOf(newest);
}

/** True for what a person said: text that is not blank, or something attached. */
export function isSpoken({ message, provenance }: SeenEntry): boolean {
  if (message?.role !== 'user' || provenance?.kind !== 'user') return false;
  if (typeof message.content === 'string') return message.content.trim() !== '';
  return message.content.some((part) => part.type !== 'text' || part.text?.trim() !== '');
}
