import type { Message, ModelCallOptions, ModelPort, ModelReply, ModelRequest, ToolDefinition } from '@varve/core';
import { partsOfMessage } from '@varve/core';
import type { Case, Closable } from '../case.ts';

/** A call that a model makes; `input` is an object. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly [key: string]: string };
}

/** What becomes of one call of a port. */
export type PortOutcome =
  | {
      readonly kind: 'answer';
      /** Streamed in pieces where somebody listens. */
      readonly text: string;
      /** @default none */
      readonly calls?: readonly ScriptedCall[] | undefined;
      /** `unknown` for a reason that nobody knows yet. @default 'end', or 'tool-calls' */
      readonly stop?: 'end' | 'length' | 'tool-calls' | 'refusal' | 'unknown' | undefined;
      /** What the provider reports; `null` for nothing. @default some numbers */
      readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null | undefined;
      /** Nothing is answered before it resolves. @default at once */
      readonly after?: Promise<void> | undefined;
      /** A streamed answer goes no further than its first piece of text until this resolves. @default it goes on */
      readonly pause?: Promise<void> | undefined;
    }
  /** The provider refuses, in its own words. */
  | { readonly kind: 'refuses'; readonly with: 'overflow' | 'rate' | 'server' | 'unauthorized' | 'bad-request' }
  /** The connection breaks without an answer. */
  | { readonly kind: 'hangs-up' }
  /** A stream ends as if all was well, in the middle of the answer. */
  | { readonly kind: 'ends-early' };

/** Decides what becomes of a call, by the JSON of the body that arrived. */
export type PortScript = (body: string) => PortOutcome;

/** A port around a client whose provider does what a script says. */
export interface ModelPortSubject extends Closable {
  /** What score cards call it. */
  readonly modelPort: string;
  /** Makes a port whose provider does what the script says. Its client does not try again by itself. */
  open(script: PortScript): Promise<ModelPort>;
}

/** One demand on every model port. */
export type ModelPortCase = Case<ModelPortSubject>;

/** What a case on a port works with. */
export interface PortTrial {
  readonly port: ModelPort;
  /** JSON of the bodies that arrived, in order. */
  readonly bodies: readonly string[];
  /** Waits for the body of that number, from 1. */
  arrival(number: number): Promise<void>;
}

/** Makes a case on a port. `script` may be one outcome for all calls. */
export function onPort(
  name: string,
  { why, script }: { readonly why: string; readonly script: PortScript | PortOutcome },
  prove: (trial: PortTrial) => Promise<void>,
): ModelPortCase {
  const run: ModelPortCase['run'] = async (open) => {
    const bodies: string[] = [];
    const waiting: { readonly number: number; readonly wake: () => void }[] = [];
    const port = await (await open()).open((body) => {
      bodies.push(body);
      for (const { number, wake } of waiting) if (number <= bodies.length) wake();
      return typeof script === 'function' ? script(body) : script;
    });
    const arrival = (number: number): Promise<void> =>
      new Promise((wake) => (number <= bodies.length ? wake() : waiting.push({ number, wake })));
    await prove({ port, bodies, arrival });
  };
  return { name, why, run };
}

/** A tool whose name every provider takes. */
export const readFile: ToolDefinition = {
  name: 'read_file',
  description: 'Reads a file of the river.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
};

/** A request with one question. */
export function requestOf(question: string, beside: Partial<ModelRequest> = {}): ModelRequest {
  const messages: readonly Message[] = [{ role: 'user', content: question }];
  const prompt = {
    system: [{ layer: 'system', text: 'Speak of rivers.' }],
    messages,
    marks: { afterSystem: 1, afterStable: 1 },
  };
  return { prompt, ...beside };
}

/** The words of an answer. */
export function wordsOf({ message }: ModelReply): string {
  return partsOfMessage(message)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** Both ways of a call: whole, and streamed to nobody. */
export const bothWays: readonly ModelCallOptions[] = [{}, { onDelta: () => undefined }];
