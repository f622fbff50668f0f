import { askWithList, followMessageList, hostShare } from '@varve/adapters/message-list';
import { fromPi, type ListedPiMessage, toPi } from '@varve/adapters/pi';
import { estimateTokens, type ModelRef, nameOfModel, type Prompt, VarveError } from '@varve/core';
import { committedTurns } from './commit-turn.ts';
import type { Conversation } from './conversations.ts';
import { nameOfMessage } from './message-name.ts';
import type { AssembleCall, AssembleResult, EngineCall, MessagesCall } from './openclaw-api.ts';
import { modelOfCall } from './read-call.ts';

/** How lists are taken: whether the journal keeps what OpenClaw has compacted. */
export interface Following {
  readonly isOurs: boolean;
}

/** Brings the journal to where a whole list is. */
export async function followAll(
  { session }: Conversation,
  { messages, abortSignal: signal }: MessagesCall,
  { isOurs }: Following,
): Promise<void> {
  const given = fromPi(messages, { summaries: isOurs ? 'skip' : 'take' });
  await followMessageList(session, given, { onShorter: isOurs ? 'keep' : 'follow', signal });
}

/** Share of a window that prompts may have: the rest is for answers. */
const windowShare = 0.8;

/** Makes the messages that OpenClaw sends before those of the turn that is under way. */
export async function assemblePrompt(
  conversation: Conversation,
  call: AssembleCall,
  { isOurs }: Following,
): Promise<AssembleResult> {
  const { asked } = conversation;
  const { messages, tokenBudget = 0, prompt: query, abortSignal: signal } = call;
  await committedTurns(conversation);
  const model = modelFor(conversation, call);
  // What the user says now is counted as sent besides, and has been taken off the budget by OpenClaw.
  const asking = estimateTokens(query ?? '');
  conversation.windowTokens = tokenBudget > 0 ? tokenBudget + Math.ceil(asking / windowShare) : undefined;
  const given = fromPi(messages, { summaries: isOurs ? 'skip' : 'take' });
  // Between the calls of one turn OpenClaw hands back the list that it was given: nothing in it is new.
  const isOwn = asked !== null && sameNames(asked.names, messages.map(nameOfMessage));
  const prompt = await promptOf(conversation, isOwn ? [] : given, {
    request: { model, query, system: query === undefined ? [] : [query], signal },
    isOurs,
    mayCompact: isOurs && isLargest(conversation, { model, tokenBudget }),
  });
  const isEmpty = prompt.manifest.entries.length + prompt.manifest.ranges.length === 0;
  const made = isEmpty ? [] : toPi(prompt.messages, { given });
  const isShareKnown = conversation.hostTokens !== null;
  conversation.asked = { counted: prompt.tokens + asking, isShareKnown, names: made.map(nameOfMessage) };
  const systemPromptAddition = prompt.system.map(({ text }) => text).join('\n\n');
  return {
    messages: made,
    estimatedTokens: prompt.tokens,
    ...(systemPromptAddition === '' ? {} : { systemPromptAddition }),
  };
}

/** The model that a call is about. Edits hold for one model: a call that names none is about the one before. */
export function modelFor(conversation: Conversation, call: EngineCall): ModelRef {
  conversation.model = modelOfCall(call) ?? conversation.model ?? { provider: 'openclaw', model: 'unknown' };
  return conversation.model;
}

interface PromptOptions extends Following {
  readonly request: {
    readonly model: ModelRef;
    readonly query: string | undefined;
    readonly system: readonly string[];
    readonly signal: AbortSignal | undefined;
  };
  readonly mayCompact: boolean;
}

/** Follows the list, compacts where that is due, and makes the prompt. */
async function promptOf(
  { session }: Conversation,
  listed: readonly ListedPiMessage[],
  { request, isOurs, mayCompact }: PromptOptions,
): Promise<Prompt> {
  const { system, ...asked } = request;
  const asOurs = (): Promise<Prompt> => askWithList(session, listed, { ...request, ask: async ({ prompt }) => prompt });
  if (mayCompact) return asOurs();
  await followMessageList(session, listed, { onShorter: isOurs ? 'keep' : 'follow', signal: asked.signal });
  try {
    return await session.assemble({ ...asked, tools: hostShare({ system }) });
  } catch (error) {
    if (isOurs && VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) return asOurs();
    throw error;
  }
}

/** Budgets of one turn differ: a smaller one is no reason to compact what a larger one, which comes next, has room for. */
const nearlyLargest = 0.8;

function isLargest(
  conversation: Conversation,
  { model, tokenBudget }: { readonly model: ModelRef; readonly tokenBudget: number },
): boolean {
  const name = nameOfModel(model);
  const known = conversation.largest?.model === name ? conversation.largest.tokens : 0;
  conversation.largest = { model: name, tokens: Math.max(known, tokenBudget) };
  return tokenBudget >= nearlyLargest * known;
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.length === other.length && one.every((name, index) => name === other[index]);
}
