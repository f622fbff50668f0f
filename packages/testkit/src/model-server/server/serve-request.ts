import type { Clock, Tokens } from '@varve/core';
import { type CountOptions, counterOf, countParts } from '../counting/count-prompt.ts';
import type { CacheUse, PromptCache } from '../counting/prompt-cache.ts';
import { type ReadyAnswer, readyAnswer } from '../counting/ready-answer.ts';
import {
  answer,
  failure,
  type ModelAnswer,
  type ModelFailure,
  type ModelOutcome,
  type ModelScript,
} from '../exchange/model-outcome.ts';
import type { ServedRequest } from '../exchange/served-request.ts';
import { fieldsOf, stringOf } from '../wire/json-fields.ts';
import { fingerprint } from '../wire/seal.ts';
import type { FailureFacts, Wire, WireAnswer, WireUsage } from '../wire/wire.ts';
import type { Connection } from './connection.ts';
import { breakOff, sendBody, sendError, sendEvents } from './send-answer.ts';

/** What requests are answered with. */
export interface Serving {
  readonly script: ModelScript;
  readonly contextTokens: Tokens;
  readonly counting: CountOptions;
  readonly clock: Clock;
  readonly cache: PromptCache;
}

/** One request on its way. */
interface Exchange {
  readonly wire: Wire;
  readonly request: ServedRequest;
  readonly connection: Connection;
  readonly serving: Serving;
}

/** Answers a request: as the provider would refuse it, or as the script decides. */
export async function serveRequest(exchange: Exchange): Promise<void> {
  const { wire, request, connection, serving } = exchange;
  const [violation] = request.violations;
  if (violation !== undefined) {
    sendError(connection, wire.refuse(violation, request.body));
    return;
  }
  if (request.inputTokens > serving.contextTokens) return sendFailure(failure('overflow'), exchange);
  const deciding = decide(serving.script, request);
  if (!(await connection.outlives(deciding))) return;
  const outcome = await deciding;
  try {
    await sendOutcome(outcome, exchange);
  } catch (error) {
    if (!connection.outgoing.headersSent) await sendFailure(scriptFailure(error), exchange);
    else breakOff(connection);
  }
}

async function decide(script: ModelScript, request: ServedRequest): Promise<ModelOutcome> {
  try {
    const outcome = await script(request);
    return typeof outcome === 'string' ? answer(outcome) : outcome;
  } catch (error) {
    return scriptFailure(error);
  }
}

function scriptFailure(error: unknown): ModelFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return failure('server', { text: `The script of the model server failed: ${reason}` });
}

async function sendOutcome(outcome: ModelOutcome, exchange: Exchange): Promise<void> {
  if (outcome.kind === 'answer') return sendAnswer(outcome, exchange);
  if (outcome.kind === 'failure') return sendFailure(outcome, exchange);
  if (outcome.hangsUp) breakOff(exchange.connection);
  else await exchange.connection.ended;
}

async function sendFailure(told: ModelFailure, { wire, request, connection, serving }: Exchange): Promise<void> {
  const facts = failureFacts(told, { request, serving });
  if (request.stream && wire.streamsFailure(facts)) return sendEvents(connection, wire.errorEvents(facts, 0), {});
  const { status, body } = wire.error(facts);
  sendError(connection, { status: told.status ?? status, body }, told);
}

function failureFacts(
  { failure: kind, text }: Pick<ModelFailure, 'failure' | 'text'>,
  { request: { inputTokens, body }, serving: { contextTokens } }: Pick<Exchange, 'request' | 'serving'>,
): FailureFacts {
  // An overflow that a script invents is told with numbers that overflow.
  const given = kind === 'overflow' ? Math.max(inputTokens, contextTokens + 1) : inputTokens;
  return { kind, text, inputTokens: given, contextTokens, body };
}

async function sendAnswer(given: ModelAnswer, exchange: Exchange): Promise<void> {
  const { wire, request, connection } = exchange;
  const { failure: broken } = given;
  const ready = wireAnswer(given, exchange);
  if (broken === undefined) {
    return request.stream
      ? sendEvents(connection, wire.events(ready), given)
      : sendBody(connection, wire.whole(ready), given);
  }
  if (!request.stream) return sendFailure(failure(broken.kind), exchange);
  const said = wire.events(ready).slice(0, broken.afterEvents);
  const error = wire.errorEvents(failureFacts({ failure: broken.kind }, exchange), said.length);
  return sendEvents(connection, [...said, ...error], given);
}

function wireAnswer(given: ModelAnswer, { wire, request, serving }: Exchange): WireAnswer {
  const { body, inputTokens, conversation } = request;
  const { contextTokens, counting, clock, cache } = serving;
  const id = fingerprint(JSON.stringify(body), 22);
  const bounds = { asked: conversation.maxOutputTokens, window: contextTokens - inputTokens };
  const { outputTokens, ...ready } = readyAnswer(given, { api: wire.api, id, bounds, count: counterOf(counting) });
  const { model } = body;
  const use = cache.use(countParts(wire.parts(body), counting), { model: stringOf(model), now: clock.now() });
  return {
    ...ready,
    usage: usageOf(given, { inputTokens, outputTokens, use }),
    id,
    createdSeconds: Math.floor(clock.now() / 1_000),
    pieceChars: given.pieceChars ?? 12,
    body,
  };
}

interface Counted {
  readonly inputTokens: Tokens;
  readonly outputTokens: ReadyAnswer['outputTokens'];
  readonly use: CacheUse;
}

function usageOf({ usage }: ModelAnswer, { inputTokens, outputTokens, use }: Counted): WireUsage | null {
  if (usage === 'missing') return null;
  const told = fieldsOf(usage);
  const counted = { inputTokens, outputTokens, cacheReadTokens: use.read, cacheWriteTokens: use.written };
  const nothing = { cacheReadTokens: 0, cacheWriteTokens: { '5m': 0, '1h': 0 } };
  return usage?.inputTokens === undefined ? { ...counted, ...told } : { ...counted, ...nothing, ...told };
}
