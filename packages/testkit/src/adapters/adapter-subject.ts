import type { ModelReply, Prompt, ToolDefinition } from '@varve/core';
import { assertEqual } from '../assert.ts';
import type { Case, Closable } from '../case.ts';

/** What an adapter is given: a prompt without what only its maker needs. */
export type AdapterPrompt = Pick<Prompt, 'system' | 'messages' | 'marks'>;

/** One thing that a model says, neutral to APIs. */
export type SaidPart =
  | { readonly type: 'text'; readonly text: string }
  /** Thinking, with what proves to the provider that it is its own: a signature, or encrypted content. */
  | { readonly type: 'thinking'; readonly text: string; readonly proof: string }
  /** A call; `arguments` as the model wrote them, JSON or not. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly arguments: string }
  /** A block of a type that nobody knows yet, with this text somewhere in it. */
  | { readonly type: 'unknown'; readonly text: string };

/** A whole answer of a model, neutral to APIs. */
export interface Said {
  readonly parts: readonly SaidPart[];
  /** Why it ended; `unknown` for a reason that nobody knows yet. */
  readonly stop: 'end' | 'length' | 'tool-calls' | 'refusal' | 'unknown';
  /** `inputTokens` were neither read from nor written to a cache; `null` where the provider reports nothing. */
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens: number;
  } | null;
}

/** An adapter, with the provider that it speaks to. */
export interface AdapterSubject extends Closable {
  /** What score cards call it. */
  readonly adapter: string;
  /** Makes the body of one call, as `toX(prompt)` of the adapter does. */
  to(prompt: AdapterPrompt, options: { readonly tools: readonly ToolDefinition[] }): unknown;
  /** Reads a whole answer, as `fromX(answer)` of the adapter does. */
  from(answer: unknown, options: { readonly tools: readonly ToolDefinition[] }): ModelReply;
  /** What the provider would refuse in a body, a text each; empty for a body that it takes. */
  judge(body: unknown): readonly string[];
  /** The names under which a body offers its tools, in order. */
  toolNames(body: unknown): readonly string[];
  /** The provider's whole answer when the model says that. */
  answer(said: Said): unknown;
  /** The texts of the blocks that carry a cache mark. @default cases on marks are skipped */
  readonly cacheMarks?: ((body: unknown) => readonly string[]) | undefined;
  /** The API takes thinking back, and checks its proof. @default false: cases on it are skipped */
  readonly takesThinking?: boolean | undefined;
  /** The API's answers are lists of blocks, which go back to it whatever their type is. @default false, likewise */
  readonly takesUnknown?: boolean | undefined;
}

/** One demand on every adapter. */
export type AdapterCase = Case<AdapterSubject>;

/** Makes a case on an adapter. */
export function onAdapter(
  name: string,
  why: string,
  prove: (subject: AdapterSubject) => void | Promise<void>,
): AdapterCase {
  return { name, why, run: async (open) => prove(await open()) };
}

/** The body of one call, which the provider has to take. */
export function takenBody(
  subject: AdapterSubject,
  prompt: AdapterPrompt,
  { tools = [], when }: { readonly tools?: readonly ToolDefinition[]; readonly when: string },
): unknown {
  const body = subject.to(prompt, { tools });
  assertEqual(subject.judge(body).slice(0, 3), [], `what the provider refuses ${when}`);
  return body;
}

/** How often a text stands in a body. */
export function timesIn(body: unknown, text: string): number {
  return JSON.stringify(body).split(text).length - 1;
}
