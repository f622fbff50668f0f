import {
  type AssistantMessage,
  type BudgetOptions,
  createTokenCounter,
  type Host,
  type ModelPort,
  type OpenOptions,
  type PluginList,
  type Session,
  type TokenCounter,
  type Ulid,
} from '@varve/core';
import type { ManualClock } from '@varve/testkit';

/** What samples are about, in the order in which they are listed. */
export const topics = [
  'Turns',
  'Calls and results',
  'Messages',
  'Budget and layers',
  'Pruning',
  'Compaction and recall',
  'Branches, forks and forgetting',
  'Commands, settings and policies',
  'Plugins and engines',
  'Journals as they are found',
] as const;

/** One behaviour of the product: what is done to a short journal. What comes of it stands in `expected.json`. */
export interface Sample {
  readonly topic: (typeof topics)[number];
  /** What holds, as a sentence. */
  readonly title: string;
  /** What goes wrong otherwise. */
  readonly why: string;
  /** @default none */
  readonly plugins?: PluginList | undefined;
  /** Id of the context engine, for a plugin that registers one. @default 'legacy' */
  readonly engine?: string | undefined;
  /** @default no limit */
  readonly budget?: BudgetOptions | undefined;
  /** @default {@link words} */
  readonly counter?: TokenCounter | undefined;
  /** How the session is opened. @default without a key */
  readonly opening?: OpenOptions | undefined;
  /** What the model says, or fails with, at each call; behind the last it says `Aye.` @default none */
  readonly answers?: readonly (string | AssistantMessage | Error)[] | undefined;
  /** Does the thing. What it returns stands in `expected.json` beside the entries that it appended. */
  run(given: SampleRun): Promise<Readonly<Record<string, unknown>>>;
}

/** What a sample works with. */
interface SampleRun {
  /** The session, opened on the journal. */
  readonly session: Session;
  readonly host: Host;
  /** A model that says what the sample's `answers` say. */
  readonly model: ModelPort;
  /** Stands one minute behind the last entry of the journal. */
  readonly clock: ManualClock;
  /** The id of an entry of the journal, by its seq. */
  readonly id: (seq: number) => Ulid;
}

/** Counts words, so that sizes can be checked by eye: a message costs 4, and 1 for each word. */
export const words: TokenCounter = createTokenCounter(
  'words-1',
  (text) => text.split(/\s+/).filter((word) => word !== '').length,
);

/** Names a sample, so that its fields are checked where it is written. */
export function sample(given: Sample): Sample {
  return given;
}
