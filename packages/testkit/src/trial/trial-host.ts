import {
  type BudgetOptions,
  createHost,
  type Host,
  memoryStore,
  type PluginList,
  type Prompt,
  type Session,
  type Store,
  VarveError,
} from '@varve/core';
import type { Utterance } from '../conversation/generate-conversation.ts';
import { seededRandom } from '../conversation/seeded-random.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';

/** The model that trials name; none is ever called. */
export const trialModel = { provider: 'test', model: 'test-1' } as const;

/** How a trial's host is made. */
export interface TrialOptions {
  readonly plugins?: PluginList | undefined;
  readonly engine?: string | undefined;
  /** @default no limit, in a window of 30 000 tokens */
  readonly budget?: BudgetOptions | undefined;
  readonly store?: Store | undefined;
  readonly clock?: ManualClock | undefined;
}

/** Something that a host reported as failed: a tap of a plugin, or a method of an engine. */
interface TrialFailure {
  /** Plugin or engine. */
  readonly by: string;
  /** Hook, or method. */
  readonly where: string;
  readonly error: string;
}

/** A host with time and chance of its own, and what it reported. */
export interface Trial {
  readonly host: Host;
  readonly clock: ManualClock;
  readonly store: Store;
  readonly failures: readonly TrialFailure[];
}

/** How many hosts a store had: each mints ids of its own, also when no time has passed. */
const hostsOf = new WeakMap<Store, number>();

/** Makes a host for a trial. */
export async function openTrial(options: TrialOptions): Promise<Trial> {
  const { plugins = [], engine, store = memoryStore(), clock = manualClock() } = options;
  const { budget = { contextTokens: 30_000, inputTokens: null } } = options;
  const hosts = (hostsOf.get(store) ?? 0) + 1;
  hostsOf.set(store, hosts);
  const host = await createHost({ plugins, engine, store, clock, budget, random: seededRandom(hosts).next });
  const failures: TrialFailure[] = [];
  host.events.on('plugin-failed', ({ plugin, hook, error }) => failures.push({ by: plugin, where: hook, error }));
  host.events.on('engine-degraded', ({ engine: by, method, error }) => failures.push({ by, where: method, error }));
  return { host, clock, store, failures };
}

/** What a session answered to one step of a conversation. */
export interface Answer {
  readonly step: 'ingest' | 'assemble' | 'compact';
  /** The bytes of a prompt, the status of a compaction, or the code of an error. */
  readonly text: string;
  readonly prompt: Prompt | null;
}

/** How a conversation is held. */
export interface ConverseOptions {
  readonly clock: ManualClock;
  /** How long the user waits before each exchange. @default 0 */
  readonly idleMs?: number | undefined;
  /** Whether a compaction is offered after each exchange. @default false */
  readonly compacts?: boolean | undefined;
}

/** Says everything to the session, and asks for a prompt before each message of the assistant and at the end. */
export async function converse(
  session: Session,
  utterances: readonly Utterance[],
  { clock, idleMs = 0, compacts = false }: ConverseOptions,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let exchange = utterances[0]?.exchange ?? 0;
  for (const { message, key, exchange: number } of utterances) {
    if (number !== exchange) {
      exchange = number;
      if (compacts) answers.push(await compactOnce(session));
      clock.advance(idleMs);
    }
    if (message.role === 'assistant') answers.push(await ask(session));
    const failed = await session.ingest(message, { key }).then(() => null, codeOf);
    if (failed !== null) answers.push({ step: 'ingest', text: failed, prompt: null });
  }
  answers.push(await ask(session));
  return answers;
}

/** Asks for a prompt; an error is an answer. */
export async function ask(session: Session, options: { readonly dryRun?: boolean } = {}): Promise<Answer> {
  try {
    const prompt = await session.assemble({ model: trialModel, ...options });
    return { step: 'assemble', text: bytesOf(prompt), prompt };
  } catch (error) {
    return { step: 'assemble', text: codeOf(error), prompt: null };
  }
}

async function compactOnce(session: Session): Promise<Answer> {
  const outcome = session.compact('threshold', { model: trialModel });
  return { step: 'compact', text: await outcome.then(({ status }) => status, codeOf), prompt: null };
}

/** The bytes of a prompt that providers see. */
function bytesOf({ system, messages, marks }: Prompt): string {
  return JSON.stringify({ system, messages, marks });
}

/** The code of an error of Varve, or the message of another one. */
export function codeOf(error: unknown): string {
  if (VarveError.is(error)) return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** The prompts among the answers, as bytes or error codes. */
export function promptTexts(answers: readonly Answer[]): readonly string[] {
  return answers.flatMap(({ step, text }) => (step === 'assemble' ? [text] : []));
}

/** Lets everything run that waits for nothing but its turn. */
export async function giveWay(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}

/** Waits until one more call is noted than before, for an operation that may call nothing at all. */
export async function untilBegun(calls: readonly unknown[], before: number): Promise<void> {
  for (let tick = 0; tick < 100 && calls.length === before; tick += 1) await Promise.resolve();
}
