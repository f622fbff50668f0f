import { VarveError } from '@varve/core';
import { type ErrorFacts, errorFacts } from './error-facts.ts';
import {
  accountPattern,
  authPattern,
  bytesPattern,
  networkPattern,
  outputNumbers,
  outputPattern,
  rateNumbers,
  ratePattern,
  refusedPattern,
  serverPattern,
} from './failure-patterns.ts';
import { inputCodes, inputPatterns, sumPatterns } from './overflow-patterns.ts';

/**
 * Why a call of a model failed.
 *
 * `input`: the prompt is too long for the window, so compaction helps · `output-limit`: more output was asked for than
 * there can be · `bytes`: the request or something in it is too large, whatever its tokens · `rate`: too much at once ·
 * `auth`: the key, its rights or the balance · `server`: the provider's trouble · `network`: none of its words arrived ·
 * `refused`: it does not want to answer · `other`.
 */
export type ModelErrorKind =
  | 'input'
  | 'output-limit'
  | 'bytes'
  | 'rate'
  | 'auth'
  | 'server'
  | 'network'
  | 'refused'
  | 'other';

/** Every kind, so that one that is told can be recognised. */
const kinds: readonly ModelErrorKind[] = Object.keys({
  input: true,
  'output-limit': true,
  bytes: true,
  rate: true,
  auth: true,
  server: true,
  network: true,
  refused: true,
  other: true,
} satisfies Record<ModelErrorKind, true>) as ModelErrorKind[];

/** What an error of a model call means. */
export interface ClassifiedModelError {
  readonly kind: ModelErrorKind;
  /** Whether the same call may work later. */
  readonly retryable: boolean;
  /** The provider's message, at most 500 characters. */
  readonly text: string;
  /** HTTP status, if one is told. */
  readonly status?: number;
  /** Tokens that were sent (`input`, `rate`) or asked for (`output-limit`), if the message tells. */
  readonly given?: number;
  /** Tokens that are allowed, if the message tells. */
  readonly limit?: number;
}

/** What the patterns name. */
type Groups = { readonly [Name in 'given' | 'limit' | 'input' | 'output' | 'total']?: string };

interface Verdict {
  readonly kind: ModelErrorKind;
  readonly given?: number;
  readonly limit?: number;
}

/**
 * True when a call failed because its input was too long for the model's window: compaction helps. Limits of output,
 * bytes and rate are none, even where the message speaks of tokens.
 */
export function isOverflow(error: unknown): boolean {
  return classifyModelError(error).kind === 'input';
}

/**
 * Tells why a call of a model failed, from what any client threw: an `Error`, the body of a response, or a text. Knows
 * the wording of the providers; what it does not know is `other`. Never throws.
 */
export function classifyModelError(error: unknown): ClassifiedModelError {
  try {
    return classify(error);
  } catch {
    // Something that cannot be read, such as an error whose fields throw.
    return { kind: 'other', retryable: false, text: 'no message' };
  }
}

function classify(error: unknown): ClassifiedModelError {
  const facts = errorFacts(error);
  const verdict = ownVerdict(error) ?? verdictOf(facts);
  return {
    ...verdict,
    retryable: isRetryable(verdict, facts),
    text: facts.message.slice(0, 500),
    ...(facts.status === undefined ? {} : { status: facts.status }),
  };
}

/** An error that went through here before. */
function ownVerdict(error: unknown): Verdict | null {
  if (VarveError.is(error, 'VARVE_MODEL_OVERFLOW')) return { kind: 'input', ...numbersOf(error.details) };
  if (!VarveError.is(error, 'VARVE_MODEL_FAILED')) return null;
  const { kind } = error.details;
  return { kind: kinds.find((known) => known === kind) ?? 'other', ...numbersOf(error.details) };
}

function numbersOf({ given, limit }: Readonly<Record<string, unknown>>): Omit<Verdict, 'kind'> {
  return { ...(typeof given === 'number' ? { given } : {}), ...(typeof limit === 'number' ? { limit } : {}) };
}

function verdictOf(facts: ErrorFacts): Verdict {
  const { text, status } = facts;
  const sum = sumVerdict(text);
  if (sum !== null) return sum;
  if (inputCodes.test(text)) return inputVerdict(facts) ?? { kind: 'input', ...numbersOf({ ...facts }) };
  if (accountPattern.test(text) || status === 402) return { kind: 'auth' };
  if (ratePattern.test(text) || status === 429) return { kind: 'rate', ...firstNumbers(text, [rateNumbers]) };
  if (outputPattern.test(text)) return { kind: 'output-limit', ...firstNumbers(text, outputNumbers) };
  const input = inputVerdict(facts);
  if (input !== null) return input;
  if (bytesPattern.test(text) || status === 413) return { kind: 'bytes' };
  if (refusedPattern.test(text)) return { kind: 'refused' };
  if (authPattern.test(text) || status === 401 || status === 403) return { kind: 'auth' };
  if (serverPattern.test(text) || (status ?? 0) >= 500) return { kind: 'server' };
  return { kind: status === undefined && networkPattern.test(text) ? 'network' : 'other' };
}

/**
 * Input and output together are too long. The input is to blame when it alone takes more than half of the window, and
 * the output would fit into an empty one; otherwise no compaction would make room for that much output.
 */
function sumVerdict(text: string): Verdict | null {
  const match = firstMatch(text, sumPatterns);
  if (match === null) return null;
  const told: Groups = match.groups ?? {};
  const limit = numberOf(told.limit) ?? 0;
  const output = numberOf(told.output) ?? 0;
  const input = numberOf(told.input) ?? (numberOf(told.total) ?? 0) - output;
  return input > limit / 2 && output < limit
    ? { kind: 'input', given: input, limit }
    : { kind: 'output-limit', given: output, limit };
}

function inputVerdict(facts: ErrorFacts): Verdict | null {
  const match = firstMatch(facts.text, inputPatterns);
  return match === null ? null : { kind: 'input', ...numbersOf({ ...facts }), ...groupNumbers(match) };
}

function firstMatch(text: string, patterns: readonly RegExp[]): RegExpExecArray | null {
  for (const pattern of patterns) {
    const match = pattern.exec(text);
    if (match !== null) return match;
  }
  return null;
}

function firstNumbers(text: string, patterns: readonly RegExp[]): Omit<Verdict, 'kind'> {
  const match = firstMatch(text, patterns);
  return match === null ? {} : groupNumbers(match);
}

function groupNumbers({ groups }: RegExpExecArray): Omit<Verdict, 'kind'> {
  const told: Groups = groups ?? {};
  return numbersOf({ given: numberOf(told.given), limit: numberOf(told.limit) });
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

function isRetryable({ kind, given = 0, limit = 0 }: Verdict, { status }: ErrorFacts): boolean {
  // More than the rate allows at any time will never pass.
  if (kind === 'rate') return given <= limit || limit === 0;
  return kind === 'server' || kind === 'network' || (kind === 'other' && (status === 408 || status === 409));
}
