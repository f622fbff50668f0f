import { type AnthropicRequest, toAnthropic } from '@varve/adapters/anthropic';
import {
  type MessageEntry,
  type Milliseconds,
  type ModelRef,
  nameOfAction,
  type Prompt,
  type Seq,
  type TokenCounter,
  type Tokens,
  VarveError,
} from '@varve/core';
import { sharedNameOfModel } from './call-model.ts';
import { checkBody } from './check-body.ts';
import { layerTokensOf, noLayerTokens } from './layer-tokens.ts';
import { type CacheTtl, type CacheUse, createPromptCache } from './prompt-cache.ts';
import { createPromptPrefixes } from './prompt-prefix.ts';
import { emptyOf, leftOutOf, type RequestRow, roundCost } from './request-row.ts';
import { createWholeHistory, type WholeRequest } from './whole-history.ts';

/** What the requests of one conversation are measured by. */
export interface RecorderOptions {
  readonly systemTokens: Tokens;
  readonly budgetTokens: Tokens | null;
  readonly cacheTtl: CacheTtl;
  readonly counter: TokenCounter;
  /** A text that stands for another one, and for no third. Not one of Node's, so that a page can measure too. */
  readonly hash: (text: string) => string;
}

/** One model call of the transcript, and what Varve made of it. */
interface RecordedCall {
  readonly turn: number;
  readonly item: number | undefined;
  readonly key: string;
  readonly at: Milliseconds;
  readonly model: ModelRef;
  readonly entries: number;
  /** The prompt, or why there is none. */
  readonly result: Prompt | VarveError;
}

/** A call as it is reported. */
interface CallRecord {
  readonly row: RequestRow;
  /** The exact request; `null` when there is none. */
  readonly body: AnthropicRequest | null;
  /** What sending the whole conversation would have done to a cache. */
  readonly everything: CacheUse;
  /** Empty messages that this request knew and none before did. */
  readonly empty: number;
}

/** Measures the requests of one conversation, one after the other. */
export interface RequestRecorder {
  /** A message is in the journal. */
  noteEntry(entry: MessageEntry): void;
  record(call: RecordedCall): CallRecord;
}

/** Begins a conversation with empty caches. */
export function createRequestRecorder(options: RecorderOptions): RequestRecorder {
  const { systemTokens, budgetTokens, cacheTtl: ttl, counter } = options;
  const cache = createPromptCache({ ttl });
  const prefixes = createPromptPrefixes({ systemTokens, counter, hash: options.hash });
  const wholeHistory = createWholeHistory({ systemTokens, ttl });
  // Of all requests so far: what comes back and leaves again has been counted.
  const leftOut = new Set<Seq>();
  const empty = new Set<Seq>();

  const measure = (prompt: Prompt, { model, at }: RecordedCall): OwnFields & Measured => {
    const use = cache.request(prefixes.of(prompt, sharedNameOfModel(model)), at);
    const body = toAnthropic(prompt, { model: model.model, cache: ttl });
    const tokens = systemTokens + prompt.tokens;
    const isOver = budgetTokens !== null && tokens > budgetTokens;
    const now = leftOutOf(prompt.manifest);
    const dropped = addNew(leftOut, now);
    const emptyMessages = addNew(empty, emptyOf(prompt.manifest));
    return {
      request: prompt.manifest.request,
      tokens,
      layers: layerTokensOf(prompt, { systemTokens }),
      actions: prompt.manifest.actions.length === 0 ? noActions : prompt.manifest.actions.map(nameOfAction),
      dropped,
      leftOut: now.size,
      use,
      invalid: isOver ? 'it is over its budget' : checkBody(body),
      body,
      emptyMessages,
    };
  };
  return {
    noteEntry: (entry) => {
      prefixes.learn(entry.message, entry.tokens.n);
      wholeHistory.add(entry);
    },
    record: (call) => {
      const { result, model, at } = call;
      const everything = wholeHistory.request(sharedNameOfModel(model), {
        now: at,
        madeUpTokens: VarveError.is(result) ? 0 : result.manifest.madeUpTokens,
      });
      if (VarveError.is(result))
        return { row: rowOf(call, { options, own: notMade, everything }), body: null, everything, empty: 0 };
      const own = measure(result, call);
      const row = rowOf(call, { options, own, everything });
      return { row, body: own.body, everything, empty: own.emptyMessages };
    },
  };
}

/** Adds what a set does not have yet, and says how many these are. */
function addNew(known: Set<Seq>, found: ReadonlySet<Seq>): number {
  const { size } = known;
  for (const seq of found) known.add(seq);
  return known.size - size;
}

/** What a request says of itself, beside what the call says. */
interface OwnFields extends Pick<RequestRow, 'request' | 'tokens' | 'layers' | 'actions' | 'dropped' | 'leftOut'> {
  readonly use: CacheUse;
  readonly invalid: string | null;
}

/** What a request that was made has besides. */
interface Measured {
  readonly body: AnthropicRequest;
  readonly emptyMessages: number;
}

const noActions: readonly string[] = [];

/** A request that could not be made. */
const notMade: OwnFields = {
  request: null,
  tokens: 0,
  layers: noLayerTokens,
  actions: noActions,
  dropped: 0,
  leftOut: 0,
  use: { cacheRead: 0, cacheWrite: 0, uncached: 0, cost: 0 },
  invalid: null,
};

/** Written out field by field: with spreads the engine would keep a description of its own for each row. */
function rowOf(
  { turn, item, key, at, model, entries, result }: RecordedCall,
  made: { readonly options: RecorderOptions; readonly own: OwnFields; readonly everything: WholeRequest },
): RequestRow {
  const { own, everything, options } = made;
  const row: RequestRow = {
    turn,
    request: own.request,
    key,
    at,
    model: sharedNameOfModel(model),
    entries,
    tokens: own.tokens,
    budget: options.budgetTokens,
    layers: own.layers,
    actions: own.actions,
    dropped: own.dropped,
    leftOut: own.leftOut,
    cacheRead: own.use.cacheRead,
    cacheWrite: own.use.cacheWrite,
    uncached: own.use.uncached,
    cost: roundCost(own.use.cost),
    everything: { tokens: everything.tokens, cost: roundCost(everything.cost) },
  };
  const rare: Partial<RequestRow> = {
    ...(item === undefined ? {} : { item }),
    ...(VarveError.is(result) ? { error: { code: result.code, message: result.message } } : {}),
    ...(own.invalid === null ? {} : { invalid: own.invalid }),
  };
  return Object.assign(row, rare);
}
