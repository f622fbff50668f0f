import { randomUUID } from 'node:crypto';
import type { Inbound, ModelDelta } from '@varve/core';
import { z } from 'zod';
import { EventStream } from '../events/event-stream.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { problemOf, requestError } from '../problem/problem.ts';
import { defineRoute, type Route, type RouteCall } from '../route/route.ts';
import { resolveKey } from '../session/resolve-session.ts';
import { lineOf, sessionPath } from '../shapes/parameters.ts';
import { shapeOf } from '../shapes/shape-of.ts';
import { inboundToKey } from '../turn/inbound-to-key.ts';
import { answerTo, type TurnResult, turnResult } from '../turn/turn-result.ts';

const problem = z.looseObject({ code: z.string(), status: z.int(), detail: z.string() });

const result = z.strictObject({
  status: z.enum(['answered', 'stored', 'command', 'reset', 'duplicate', 'aborted', 'failed']),
  key: z.string(),
  sessionId: z.string(),
  seq: z.int().nullable().describe('Seq of the message; `null` for what was not stored, such as a command.'),
  messageId: z.string(),
  text: z.string().nullable().describe('The answer; `null` for none, and for one that may not leave.'),
  decision: z.strictObject({ allow: z.boolean(), reason: z.string() }).nullable(),
  reset: z.looseObject({ reason: z.string() }).nullable().describe('What began the conversation anew.'),
  notices: z.array(z.string()),
  turn: z
    .strictObject({
      turnId: z.string(),
      status: z.string(),
      steps: z.int(),
      promptTokens: z.number().nullable(),
      usage: z.looseObject({}),
      compactions: z.int(),
    })
    .nullable(),
  problem: problem.nullable().describe('Why it failed.'),
});

const answer = { what: 'What came of it, without `stream`.', schema: shapeOf<TurnResult>(result) };
const streamed = {
  what:
    'With `stream`, events: `stored` when the message is durable, `delta` for each piece of the answer, `tool` for each ' +
    'tool that has answered, and `end` with what came of it.',
  type: 'text/event-stream',
  schema: z.string(),
} as const;

/** An id that a client chooses: of a message that is sent again with the same one, nothing happens twice. */
const messageId = z.string().regex(/^[\w.:-]{1,128}$/, 'it has other characters than letters, digits, and ._:-');

const how = {
  messageId: messageId
    .optional()
    .describe(
      'Sent again with the same id, a message is not stored again, and has the answer that it got. Default: a new one. The header Idempotency-Key says the same.',
    ),
  stream: z.boolean().optional().describe('Default: true.'),
  abortOnDisconnect: z
    .boolean()
    .optional()
    .describe('Aborts the answer when the client goes away. Default: it is made, and stored, all the same.'),
};

const text = z.string().min(1).max(500_000).regex(/\S/, 'it says nothing').describe('What is said.');
const id = z.string().min(1).max(300);

/** Talking: a message goes in, an answer comes out. */
export const turnRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/turn',
    id: 'turn',
    tag: 'talking',
    access: 'client',
    summary: 'Says something in a conversation, and streams the answer',
    description:
      'Everything goes its usual way: the policies of resets and sends, commands, tools, compactions. The conversation is ' +
      "begun where it has not. Words of a token of an owner are the owner's, which commands such as /send ask for.",
    params: sessionPath,
    body: z.strictObject({
      text,
      ...how,
      sender: lineOf(200).optional().describe('Who said it. Default: the name of the token.'),
    }),
    problems: [409, 413, 415, 422, 502],
    answer,
    orAnswer: streamed,
    handle: async (call) => {
      const { parts, params, body, caller } = call;
      const key = await resolveKey(parts, params.session);
      const named = messageIdOf(call);
      const senderId = body.sender ?? caller.name;
      const inbound = inboundToKey({ key, text: body.text, messageId: named, senderId, role: caller.role });
      return say(call, { inbound, key });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/messages',
    id: 'receive',
    tag: 'talking',
    access: 'client',
    summary: 'Takes a message as it arrives from a channel, and streams the answer',
    description:
      'The routing of the configuration says which conversation it belongs to. Only a token of an owner may say that a sender is the owner.',
    body: z.strictObject({
      text,
      ...how,
      agentId: id.optional(),
      channel: id,
      account: id.optional(),
      chatType: z.enum(['direct', 'group', 'channel']),
      peer: id.describe('The person, in a direct chat; else the room.'),
      thread: z.strictObject({ kind: z.enum(['thread', 'topic']), id }).optional(),
      sender: z.strictObject({ id, role: z.enum(['owner', 'member', 'unknown']) }),
      addressed: z.enum(['mention', 'reply', 'any']),
    }),
    problems: [409, 413, 415, 422, 502],
    answer,
    orAnswer: streamed,
    handle: async (call) => {
      const { parts, body, caller } = call;
      const { stream: _, abortOnDisconnect: __, sender, ...place } = body;
      const role = sender.role === 'owner' && caller.role !== 'owner' ? 'member' : sender.role;
      const inbound: Inbound = { ...place, messageId: messageIdOf(call), sender: { id: sender.id, role } };
      return say(call, { inbound, key: parts.sessions.route(inbound).keyText });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/abort',
    id: 'abort',
    tag: 'talking',
    access: 'client',
    summary: 'Aborts the turns of a conversation, and its sub-agents',
    params: sessionPath,
    body: z.strictObject({ reason: lineOf(200).optional() }),
    problems: [404, 409, 413, 415],
    answer: { what: 'Whether anything ran.', schema: z.strictObject({ aborted: z.boolean() }) },
    handle: async ({ parts, params, body }) => {
      const key = await resolveKey(parts, params.session);
      return { aborted: parts.sessions.abort(key, body.reason ?? 'It was aborted.') };
    },
  }),
];

interface How {
  readonly messageId?: string | undefined;
  readonly stream?: boolean | undefined;
  readonly abortOnDisconnect?: boolean | undefined;
}

type SayingCall = Pick<RouteCall<unknown, unknown, How>, 'parts' | 'body' | 'caller' | 'reply' | 'gone' | 'header'>;

function messageIdOf({ body, header }: SayingCall): string {
  const given = header('idempotency-key');
  if (given !== null && !messageId.safeParse(given).success) throw requestError('Idempotency-Key is no such key.');
  if (given !== null && body.messageId !== undefined && body.messageId !== given) {
    throw requestError('Idempotency-Key and `messageId` differ.');
  }
  return body.messageId ?? given ?? randomUUID();
}

/** Says it, and answers with what comes of it: at once, as a stream, or whole. */
async function say(
  call: SayingCall,
  { inbound, key }: { readonly inbound: Inbound; readonly key: string },
): Promise<TurnResult | undefined> {
  const { parts, body, caller, reply, gone } = call;
  const { stream = true, abortOnDisconnect = false } = body;
  const about = { keyText: key, tokenId: caller.tokenId };
  if (!stream) {
    return parts.desk.run(about, () =>
      receive(parts, { inbound, key, signal: abortOnDisconnect ? gone : undefined, listener: silent }),
    );
  }
  await parts.desk.run(about, async () => {
    const events = new EventStream(reply, parts.limits);
    const listener: TurnListener = { tell: (event, data) => events.send({ event, data }) };
    try {
      const signal = abortOnDisconnect ? events.closed : undefined;
      listener.tell('end', await receive(parts, { inbound, key, signal, listener }));
    } catch (error) {
      listener.tell('problem', problemOf(error));
    } finally {
      events.end();
    }
  });
  return undefined;
}

interface TurnListener {
  tell(event: 'stored' | 'delta' | 'tool' | 'end' | 'problem', data: unknown): void;
}

const silent: TurnListener = { tell: () => undefined };

interface Receiving {
  readonly inbound: Inbound;
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  readonly listener: TurnListener;
}

async function receive(parts: GatewayParts, { inbound, key, signal, listener }: Receiving): Promise<TurnResult> {
  let stored: { readonly sessionId: string; readonly seq: number } | null = null;
  const isHeard = listener !== silent;
  const tools = isHeard
    ? parts.live.listen(({ name, sessionKey, tool, toolCallId, ms }) => {
        if (name === 'tool-finished' && sessionKey === key) listener.tell('tool', { tool, toolCallId, ms });
      })
    : null;
  try {
    const received = await parts.sessions.receive(inbound, {
      conversation: key,
      signal,
      onStored: (entry) => {
        stored = entry;
        listener.tell('stored', { ...entry, messageId: inbound.messageId });
      },
      ...(isHeard ? { onDelta: (delta: ModelDelta) => listener.tell('delta', delta) } : {}),
    });
    const isAgain = received.status === 'duplicate' && stored !== null;
    const earlierAnswer = isAgain ? await answerTo(parts.store, stored ?? { sessionId: '', seq: 0 }) : null;
    parts.metrics.turned(received.status);
    return turnResult(received, { messageId: inbound.messageId, stored, earlierAnswer });
  } catch (error) {
    parts.metrics.turned('refused');
    throw error;
  } finally {
    tools?.();
  }
}
