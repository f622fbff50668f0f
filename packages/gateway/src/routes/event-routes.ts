import { z } from 'zod';
import { followConversation, placeOf, placeText } from '../events/conversation-follow.ts';
import { EventStream } from '../events/event-stream.ts';
import { problemOf, requestError } from '../problem/problem.ts';
import { defineRoute, type Route, type RouteCall } from '../route/route.ts';
import { resolveSession } from '../session/resolve-session.ts';
import { numberIn, sessionPath } from '../shapes/parameters.ts';

const stream = (what: string) => ({ what, type: 'text/event-stream', schema: z.string() }) as const;

/** What happens, as it happens. */
export const eventRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/events',
    id: 'sessionEvents',
    tag: 'events',
    access: 'viewer',
    summary: 'The entries of a session as they are stored, whoever stores them',
    description:
      'Events `entry` have an id: with it as the header Last-Event-ID, or as `lastEventId`, a stream goes on behind it, at ' +
      'this gateway or another one on the same store, without a gap and without a repeat. Named by its key, a conversation ' +
      'is followed into its next generation (`generation`). Events `live` tell what goes on in this process, and have none.',
    params: sessionPath,
    query: z.strictObject({
      after: numberIn({ least: 0 })
        .optional()
        .describe('Seq: entries behind it. Default: the last one, so that only new ones come.'),
      lastEventId: z
        .string()
        .max(1_200)
        .optional()
        .describe('The same as the header, for clients that cannot send one.'),
    }),
    problems: [404],
    answer: stream('Events `entry`, `generation` and `live`.'),
    handle: async (call) => {
      await followSession(call);
      return undefined;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/events',
    id: 'allEvents',
    tag: 'events',
    access: 'viewer',
    summary: 'The records of sessions as they change, whoever changes them',
    description:
      'For lists and dashboards: each event `session` is a whole record, so that the last one of a session is all there is ' +
      'to know. With the id of an event as Last-Event-ID, what has changed since comes first; some may come again. `stale` ' +
      'says that too much has changed: read the list anew. Events `live` tell what goes on in this process.',
    query: z.strictObject({ lastEventId: z.string().max(40).optional() }),
    answer: stream('Events `session`, `stale` and `live`.'),
    handle: async (call) => {
      await followRecords(call);
      return undefined;
    },
  }),
];

type SessionCall = RouteCall<
  { readonly session: string },
  { readonly after?: number | undefined; readonly lastEventId?: string | undefined },
  unknown
>;

async function followSession(call: SessionCall): Promise<void> {
  const { parts, params, query, caller, reply } = call;
  const record = await resolveSession(parts, params.session);
  const lastId = call.header('last-event-id') ?? query.lastEventId ?? null;
  const place = lastId === null ? null : placeOf(lastId);
  if (lastId !== null && place === null) throw requestError('Last-Event-ID is none of an event of this gateway.');
  // Whoever names a session by its id wants that one, whatever becomes of its conversation.
  const key = params.session === record.sessionId ? null : record.key;
  if (place !== null && place.sessionId !== record.sessionId) {
    const other = await parts.host.sessions.get(place.sessionId);
    if (key === null || other?.key !== key) throw requestError('Last-Event-ID is of another conversation.');
  }
  const from = place ?? { sessionId: record.sessionId, seq: query.after ?? record.counters.countedSeq };
  await withStream({ parts, caller, reply }, async (events) => {
    const stop = parts.live.listen((event) => {
      const isHere = key === null ? event.sessionId === record.sessionId : event.sessionKey === key;
      if (isHere) events.send({ event: 'live', data: event });
    });
    // With the first event a client knows where it is, also when nothing is ever stored.
    events.send({ event: 'open', id: placeText(from), data: from });
    try {
      for await (const told of followConversation(parts, { key, from, signal: events.closed })) {
        if (told.kind === 'entry') {
          const id = placeText({ sessionId: told.sessionId, seq: told.entry.seq });
          await events.offer({ event: 'entry', id, data: told.entry });
        } else {
          const { sessionId, previousSessionId } = told;
          await events.offer({
            event: 'generation',
            id: placeText({ sessionId, seq: 0 }),
            data: { sessionId, previousSessionId },
          });
        }
      }
    } finally {
      stop();
    }
  });
}

async function followRecords(
  call: RouteCall<unknown, { readonly lastEventId?: string | undefined }, unknown>,
): Promise<void> {
  const { parts, query, caller, reply } = call;
  const lastId = call.header('last-event-id') ?? query.lastEventId ?? null;
  const moment = lastId === null ? null : Number(lastId);
  if (moment !== null && !Number.isSafeInteger(moment))
    throw requestError('Last-Event-ID is none of an event of this gateway.');
  await withStream({ parts, caller, reply }, async (events) => {
    const stopLive = parts.live.listen((event) => events.send({ event: 'live', data: event }));
    const stop = parts.feed.listen((record) =>
      events.send({ event: 'session', id: String(record.updatedAt), data: record }),
    );
    try {
      events.send({ event: 'open', id: String(moment ?? parts.host.clock.now()), data: {} });
      const missed = moment === null ? [] : await parts.feed.since(moment);
      if (missed === null) events.send({ event: 'stale', data: {} });
      for (const record of missed ?? [])
        await events.offer({ event: 'session', id: String(record.updatedAt), data: record });
      await ended(events.closed);
    } finally {
      stop();
      stopLive();
    }
  });
}

/** Opens a stream for a caller, and ends it with the work, or when the gateway closes. */
async function withStream(
  { parts, caller, reply }: Pick<SessionCall, 'parts' | 'caller' | 'reply'>,
  work: (events: EventStream) => Promise<void>,
): Promise<void> {
  if (parts.closing.aborted) throw parts.closing.reason;
  const release = parts.streams.take(caller.tokenId);
  const events = new EventStream(reply, parts.limits);
  const end = (): void => events.end();
  parts.closing.addEventListener('abort', end, { once: true });
  // One that is revoked, or cannot be looked up, hears no more.
  const looking = setInterval(() => {
    void parts.holds(caller.tokenId).then((holds) => holds || end(), end);
  }, parts.limits.heartbeatMs);
  looking.unref();
  try {
    await work(events);
  } catch (error) {
    events.send({ event: 'problem', data: problemOf(error) });
  } finally {
    clearInterval(looking);
    parts.closing.removeEventListener('abort', end);
    events.end();
    release();
  }
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
