import type { Milliseconds } from '@varve/core';
import { VarveError } from '@varve/core';

/** What a gateway takes from its callers before it says no. */
export interface GatewayLimits {
  /** Bytes of a body. @default 1 048 576 */
  readonly bodyBytes: number;
  /** Bytes of all headers of a request. @default 16 384 */
  readonly headerBytes: number;
  /** For a request to arrive whole. @default 30 000 */
  readonly requestMs: Milliseconds;
  /** Requests of one token, or of one address without one, in a minute. @default 1 200 */
  readonly requestsPerMinute: number;
  /** Requests with a wrong token from one address in a minute. @default 30 */
  readonly failuresPerMinute: number;
  /** Connections at the same time. @default 2 000 */
  readonly connections: number;
  /** Turns of one token at the same time. @default 32 */
  readonly turnsPerToken: number;
  /** Streams of events of one token at the same time. @default 64 */
  readonly streamsPerToken: number;
  /** Bytes that wait for a client that reads slowly; then its stream ends. @default 262 144 */
  readonly streamBytes: number;
  /** How long a stream waits for a client that reads nothing. @default 30 000 */
  readonly stallMs: Milliseconds;
  /** How often a stream without events says that it is there. @default 15 000 */
  readonly heartbeatMs: Milliseconds;
  /** How often is looked for what other processes have stored, where the store does not tell. @default 1 000 */
  readonly pollMs: Milliseconds;
  /** How long a gateway that closes waits for turns before it aborts them. @default 10 000 */
  readonly drainMs: Milliseconds;
  /** Entries of a journal that are looked at for one page. @default 20 000 */
  readonly scannedEntries: number;
}

/** What holds where nothing else is said. */
export const defaultLimits: GatewayLimits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  requestMs: 30_000,
  requestsPerMinute: 1_200,
  failuresPerMinute: 30,
  connections: 2_000,
  turnsPerToken: 32,
  streamsPerToken: 64,
  streamBytes: 262_144,
  stallMs: 30_000,
  heartbeatMs: 15_000,
  pollMs: 1_000,
  drainMs: 10_000,
  scannedEntries: 20_000,
};

/** Fills in the defaults. @throws VARVE_OPTION_INVALID  for a limit that is not there, or is no whole number from 1. */
export function limitsOf(given: Partial<GatewayLimits> = {}): GatewayLimits {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  const wrong = said.find(
    ([name, value]) => !Object.hasOwn(defaultLimits, name) || !Number.isSafeInteger(value) || value < 1,
  );
  if (wrong !== undefined) {
    throw new VarveError('VARVE_OPTION_INVALID', `limits.${wrong[0]} cannot be ${String(wrong[1])}.`, {
      fix: `Give a whole number from 1 for one of ${Object.keys(defaultLimits).join(', ')}.`,
      details: { path: `limits.${wrong[0]}` },
    });
  }
  return { ...defaultLimits, ...Object.fromEntries(said) };
}
