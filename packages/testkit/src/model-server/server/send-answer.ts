import { Buffer } from 'node:buffer';
import type { AnswerOptions, ModelFailure } from '../exchange/model-outcome.ts';
import type { Fields } from '../wire/json-fields.ts';
import type { WireError, WireEvent } from '../wire/wire.ts';
import type { Connection } from './connection.ts';
import { cutBody, cutEvents, eventBytes } from './cut-bytes.ts';

/** How an answer is sent: where it breaks off, and where it waits. */
export type Sending = Pick<AnswerOptions, 'cut' | 'cutEnd' | 'hold'>;

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
} as const;

/** Sends a stream, event by event. */
export async function sendEvents(
  connection: Connection,
  events: readonly WireEvent[],
  { cut, cutEnd, hold }: Sending,
): Promise<void> {
  const { outgoing } = connection;
  const chunks = cut === undefined ? events.map(eventBytes) : cutEvents(events, cut);
  if (hold?.before === 'headers' && !(await connection.outlives(hold.until))) return;
  outgoing.writeHead(200, streamHeaders);
  outgoing.flushHeaders();
  for (const [index, chunk] of chunks.entries()) {
    if (hold?.before === index && !(await connection.outlives(hold.until))) return;
    if (!(await connection.outlives(written(outgoing, chunk)))) return;
  }
  finish(connection, cut === undefined ? 'whole' : (cutEnd ?? 'broken'));
}

/** Sends a body at once. */
export async function sendBody(connection: Connection, body: Fields, { cut, cutEnd, hold }: Sending): Promise<void> {
  const { outgoing } = connection;
  const bytes = Buffer.from(JSON.stringify(body));
  const sent = cut === undefined ? bytes : cutBody(bytes, cut);
  if (hold !== undefined && !(await connection.outlives(hold.until))) return;
  const length = cutEnd === 'quiet' ? sent.length : bytes.length;
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  if (!(await connection.outlives(written(outgoing, sent)))) return;
  finish(connection, cut === undefined ? 'whole' : (cutEnd ?? 'broken'));
}

/** Sends an error of the provider. */
export function sendError(
  { outgoing }: Connection,
  { status, body }: WireError,
  { retryAfterMs, retryAfterSeconds }: Pick<ModelFailure, 'retryAfterMs' | 'retryAfterSeconds'> = {},
): void {
  outgoing.setHeader('content-type', 'application/json');
  if (retryAfterSeconds !== undefined) outgoing.setHeader('retry-after', retryAfterSeconds);
  if (retryAfterMs !== undefined) outgoing.setHeader('retry-after-ms', retryAfterMs);
  outgoing.writeHead(status);
  outgoing.end(JSON.stringify(body));
}

/** Closes the connection without another byte. */
export function breakOff(connection: Connection): void {
  connection.noteBreak();
  connection.outgoing.destroy();
}

function finish(connection: Connection, ending: 'whole' | 'broken' | 'quiet'): void {
  if (ending !== 'whole') connection.noteBreak();
  if (ending === 'broken') connection.outgoing.destroy();
  else connection.outgoing.end();
}

/** Resolves when bytes have left this process: a connection that is closed earlier would swallow them. */
function written(outgoing: Connection['outgoing'], bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    outgoing.write(bytes, () => resolve());
  });
}
