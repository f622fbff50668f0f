/** What can be read off anything that a client threw. */
export interface ErrorFacts {
  /** All texts, codes and names, white space and escapes made plain. */
  readonly text: string;
  /** The first message, for people. */
  readonly message: string;
  /** HTTP status, if one is told. */
  readonly status?: number;
  /** Sizes that are told as fields of their own. */
  readonly given?: number;
  readonly limit?: number;
}

/**
 * Fields in which clients and providers say what went wrong. Others are not read: errors also carry the request, and
 * what a user wrote about a full context window is not an error.
 */
const tellingFields: readonly string[] = [
  'message',
  'error',
  'errors',
  'errorMessage',
  'detail',
  'details',
  'msg',
  'code',
  'type',
  'status',
  'statusCode',
  'httpStatusCode',
  '$metadata',
  'name',
  'param',
  'reason',
  'metadata',
  'raw',
  'innererror',
  'body',
  'responseBody',
  'data',
  'response',
  'lastError',
  'cause',
];

const deepest = 8;
const longestText = 20_000;

interface Found {
  readonly texts: string[];
  readonly messages: string[];
  status?: number;
  given?: number;
  limit?: number;
}

/** Reads the facts of an error: an `Error` of any client, the body of a response, or a text. */
export function errorFacts(error: unknown): ErrorFacts {
  const found: Found = { texts: [], messages: [] };
  visit(error, { found, depth: 0, seen: new Set() });
  const text = plain(found.texts.join(' | '));
  const status = found.status ?? statusInText(text);
  return {
    text,
    message: plain(found.messages[0] ?? found.texts[0] ?? 'no message'),
    ...(status === undefined ? {} : { status }),
    ...(found.given === undefined ? {} : { given: found.given }),
    ...(found.limit === undefined ? {} : { limit: found.limit }),
  };
}

interface Visit {
  readonly found: Found;
  readonly depth: number;
  readonly seen: Set<unknown>;
}

function visit(value: unknown, { found, depth, seen }: Visit): void {
  if (typeof value === 'string') {
    found.texts.push(value.slice(0, longestText));
    return;
  }
  if (typeof value !== 'object' || value === null || depth > deepest || seen.has(value)) return;
  seen.add(value);
  const fields = value as { readonly [field: string]: unknown };
  note(fields, found);
  const { message } = fields;
  if (typeof message === 'string') found.messages.push(message);
  const inner = Array.isArray(value) ? value : tellingFields.map((field) => fields[field]);
  for (const one of inner) visit(one, { found, depth: depth + 1, seen });
}

function note(fields: { readonly [field: string]: unknown }, found: Found): void {
  for (const field of ['status', 'statusCode', 'httpStatusCode', 'code']) {
    const status = Number(fields[field]);
    if (found.status === undefined && Number.isInteger(status) && status >= 400 && status < 600) found.status = status;
  }
  // llama.cpp tells its numbers in fields.
  const { n_prompt_tokens: given, n_ctx: limit } = fields;
  if (typeof given === 'number') found.given = given;
  if (typeof limit === 'number') found.limit = limit;
}

/** The status at the beginning of a message, as many clients write it. */
function statusInText(text: string): number | undefined {
  const told = /^(?:\w*Error:? ?)?(?:Error code:? |HTTP |status code:? )?([45]\d\d)\b/i.exec(text)?.[1];
  return told === undefined ? undefined : Number(told);
}

function plain(text: string): string {
  return text
    .replaceAll('\\n', ' ')
    .replaceAll('\\', '')
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
}
