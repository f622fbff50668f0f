import { VarveError } from '@varve/core';
import { type DestinationStream, type Logger, pino, type SerializedError } from 'pino';
import { publicText } from '../problem/public-text.ts';

/** Where a gateway writes what it does. */
export interface LogOptions {
  /** @default 'info' */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | undefined;
  /** Gets one line of JSON for each record. */
  readonly stream: DestinationStream;
}

/** Makes the log. Neither headers nor bodies are ever written; what looks like a secret in an error is not either. */
export function createLog({ level = 'info', stream }: LogOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ['*.authorization', '*.cookie', '*.token', '*.apiKey', '*.password', '*.text', '*.body', '*.headers'],
        remove: true,
      },
      serializers: { err: errorFacts, req: () => undefined, res: () => undefined },
    },
    stream,
  );
}

/** What of an error is written: its code and message without secrets, and where it comes from. */
function errorFacts(error: unknown): Partial<SerializedError> & { readonly code?: string } {
  if (!(error instanceof Error)) return { message: publicText(String(error)) };
  const stack = (error.stack ?? '').split('\n').slice(1, 6).join('\n');
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return {
    type: error.name,
    message: publicText(`${error.message}${cause}`),
    stack,
    ...(VarveError.is(error) ? { code: error.code } : {}),
  };
}
