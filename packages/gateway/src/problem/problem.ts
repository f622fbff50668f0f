import { type ErrorCode, errorCodes, VarveError } from '@varve/core';
import { publicText } from './public-text.ts';

/** What went wrong, as RFC 9457 has it. `code` is stable; texts are for people. */
export interface Problem {
  /** `urn:varve:error:` and the code. */
  readonly type: string;
  /** What the code means. */
  readonly title: string;
  readonly status: number;
  /** What happened this time. Never holds a secret or a path of the machine. */
  readonly detail: string;
  /** A code of the reference page "Errors"; `INTERNAL` for a fault of the gateway itself. */
  readonly code: ErrorCode | 'INTERNAL';
  /** What the caller can do about it. */
  readonly fix: string;
}

/** What the status is where it is not the caller who was wrong in general. What is not named here is a fault: 500. */
const statuses: Partial<Record<ErrorCode, number>> = {
  VARVE_ABORTED: 409,
  VARVE_BUDGET_IMPOSSIBLE: 422,
  VARVE_CHILDREN_RUNNING: 409,
  VARVE_COMPACTION_UNKNOWN: 404,
  VARVE_DELIVERY_FAILED: 502,
  VARVE_ENTRY_TOO_LARGE: 413,
  VARVE_ENTRY_UNKNOWN: 404,
  VARVE_FORK_EXISTS: 409,
  VARVE_FORK_TOO_LARGE: 422,
  VARVE_INGEST_REFUSED: 422,
  VARVE_KEY_INVALID: 400,
  VARVE_KEY_TAKEN: 409,
  VARVE_LEASE_LOST: 409,
  VARVE_MESSAGE_INVALID: 400,
  VARVE_MODEL_FAILED: 502,
  VARVE_MODEL_OVERFLOW: 502,
  VARVE_OPTION_INVALID: 400,
  VARVE_PLAN_INVALID: 409,
  VARVE_REQUEST_INVALID: 400,
  VARVE_REQUEST_LIMIT: 429,
  VARVE_SESSION_BUSY: 409,
  VARVE_SESSION_CLOSED: 503,
  VARVE_SESSION_UNKNOWN: 404,
  VARVE_STORE_CLOSED: 503,
  VARVE_STORE_CONFLICT: 409,
  VARVE_STORE_LOCKED: 409,
  VARVE_STORE_MISSING: 404,
  VARVE_STORE_READ_ONLY: 409,
  VARVE_TOKEN_INVALID: 401,
  VARVE_TOKEN_ROLE: 403,
  VARVE_UNDO_ORDER: 409,
  VARVE_UNDO_TYPE: 409,
};

/** What a framework's own errors are to the caller, by their status. */
const requestTitles: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  404: 'There is no such route.',
  408: 'The request took too long to arrive.',
  413: 'The body is larger than the gateway takes.',
  414: 'The address is longer than the gateway takes.',
  415: 'The body is not JSON.',
  429: 'There were too many requests.',
  431: 'The headers are larger than the gateway takes.',
};

/** What a caller is told of an error. Of what is a fault of the gateway, no more than that there was one. */
export function problemOf(error: unknown): Problem {
  if (VarveError.is(error)) {
    const status = statusOf(error);
    const isOwn = status >= 500;
    return problem(error.code, {
      status,
      detail: isOwn && status !== 502 ? errorCodes[error.code] : publicText(error.message),
      fix: isOwn && status !== 502 ? 'Try again; the log of the gateway says more.' : publicText(error.fix),
    });
  }
  const status = statusOfForeign(error);
  if (status === null) {
    const detail = 'Something went wrong in the gateway.';
    return problem('INTERNAL', { status: 500, detail, fix: 'Try again; the log of the gateway says more.' });
  }
  const detail = requestTitles[status] ?? 'The request cannot be carried out.';
  return problem(status === 429 ? 'VARVE_REQUEST_LIMIT' : 'VARVE_REQUEST_INVALID', {
    status,
    detail,
    fix: 'See GET /openapi.json for what the gateway takes.',
  });
}

/** An error in what was asked for. @param status  @default 400 */
export function requestError(message: string, { status = 400, fix = '' }: RequestErrorOptions = {}): VarveError {
  return new VarveError('VARVE_REQUEST_INVALID', message, {
    fix: fix === '' ? 'See GET /openapi.json for what the gateway takes.' : fix,
    details: { status },
  });
}

/** How a request was wrong. */
export interface RequestErrorOptions {
  readonly status?: number | undefined;
  readonly fix?: string | undefined;
}

function statusOf({ code, details }: VarveError): number {
  const known = statuses[code] ?? 500;
  const { status } = details;
  return code === 'VARVE_REQUEST_INVALID' && typeof status === 'number' ? status : known;
}

function statusOfForeign(error: unknown): number | null {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

function problem(code: Problem['code'], { status, detail, fix }: Pick<Problem, 'status' | 'detail' | 'fix'>): Problem {
  const title = code === 'INTERNAL' ? 'The gateway failed.' : errorCodes[code];
  return { type: `urn:varve:error:${code}`, title, status, detail, code, fix };
}
