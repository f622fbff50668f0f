import type { AssistantMessage, Milliseconds, StopReason } from '@varve/core';
import type { AssistantPart } from './anthropic-content.ts';
import { cacheWriteTtl, stopReasonOf, usageOf } from './anthropic-usage.ts';
import { countAt, filledStringAt, type JsonObject, objectAt } from './json-guards.ts';
import { recentMap } from './recent-map.ts';
import type { MessageRecord, ModelCall, TranscriptRecord } from './transcript-record.ts';

/** What may lie between two lines of one message, and how large all of it may be, before the message is given out. */
const mostWaiting = { records: 4096, bytes: 8 * 1024 * 1024 } as const;

/** Message ids that are remembered, so that a call whose lines lie far apart is counted once. */
const rememberedIds = 50_000;

/** Model name of what Claude Code itself puts into the assistant's mouth: an error of the API, an interruption. */
const syntheticModel = '<synthetic>';

/** One line of the assistant: some blocks of a message, and what the line says about all of it. */
interface AssistantLine {
  readonly line: number;
  readonly bytes: number;
  readonly at: Milliseconds | undefined;
  /** The `message` of the line. */
  readonly message: JsonObject;
  readonly parts: readonly AssistantPart[];
}

/** Puts the lines of one message together. What comes between them waits until the message is whole. */
export interface CallGatherer {
  /** A line of the assistant. Gives what has become whole. */
  add(line: AssistantLine): readonly TranscriptRecord[];
  /** Anything else. Gives it at once when nothing is open. */
  pass(records: readonly TranscriptRecord[], bytes: number): readonly TranscriptRecord[];
  end(): readonly TranscriptRecord[];
}

interface OpenMessage {
  readonly first: AssistantLine;
  readonly id: string | undefined;
  /** False for the rest of a message whose beginning has been given out. */
  readonly isNew: boolean;
  readonly lines: number[];
  readonly parts: AssistantPart[];
  usage: JsonObject;
  stop: StopReason | undefined;
}

/** Makes a {@link CallGatherer} for one file. */
export function callGatherer(): CallGatherer {
  const seen = recentMap<true>(rememberedIds);
  let open: OpenMessage | null = null;
  let waiting: TranscriptRecord[] = [];
  let heldBytes = 0;

  const flush = (): TranscriptRecord[] => {
    const whole = open === null ? waiting : [recordOf(open), ...waiting];
    open = null;
    waiting = [];
    heldBytes = 0;
    return whole;
  };
  const flushIfFull = (): TranscriptRecord[] =>
    waiting.length > mostWaiting.records || heldBytes > mostWaiting.bytes ? flush() : [];

  return {
    add(line) {
      const id = filledStringAt(line.message, 'id');
      const continues = open !== null && id !== undefined && open.id === id;
      const whole = continues ? [] : flush();
      open = continues && open !== null ? extended(open, line) : opened(line, { id, isNew: isNewId(seen, id) });
      heldBytes += line.bytes;
      return [...whole, ...flushIfFull()];
    },
    pass(records, bytes) {
      if (open === null) return records;
      waiting.push(...records);
      heldBytes += bytes;
      return flushIfFull();
    },
    end: flush,
  };
}

function isNewId(seen: ReturnType<typeof recentMap<true>>, id: string | undefined): boolean {
  if (id === undefined) return true;
  const isNew = seen.get(id) === undefined;
  seen.set(id, true);
  return isNew;
}

function opened(
  first: AssistantLine,
  { id, isNew }: { readonly id: string | undefined; readonly isNew: boolean },
): OpenMessage {
  const open: OpenMessage = { first, id, isNew, lines: [], parts: [], usage: {}, stop: undefined };
  return extended(open, first);
}

/** Every line repeats the usage; the count of what was generated grows until the last one. */
function extended(open: OpenMessage, { line, message, parts }: AssistantLine): OpenMessage {
  const usage = objectAt(message, 'usage');
  open.lines.push(line);
  open.parts.push(...parts);
  if ((countAt(usage, 'output_tokens') ?? -1) >= (countAt(open.usage, 'output_tokens') ?? -1)) open.usage = usage;
  open.stop = stopReasonOf(message) ?? open.stop;
  return open;
}

function recordOf({ first, isNew, lines, parts, usage, stop }: OpenMessage): MessageRecord {
  const message: AssistantMessage = { role: 'assistant', content: parts, ...(stop === undefined ? {} : { stop }) };
  const { line, at } = first;
  const record = { kind: 'message', line, lines, key: `line:${line}`, message, at } as const;
  const model = filledStringAt(first.message, 'model');
  if (model === syntheticModel) return { ...record, provenance: { kind: 'system-event' } };
  if (!isNew) return record;
  const call: ModelCall = { provider: 'anthropic', model, stop, cacheWriteTtl: cacheWriteTtl(usage) };
  return { ...record, usage: usageOf(usage), call };
}
