/** What a worker is told to do. */
export interface LoadJob {
  readonly root: string;
  readonly seed: number;
  /** Tells the texts of workers apart. */
  readonly worker: number;
  /** Keys of conversations: numbers below it. */
  readonly sessions: number;
  readonly maxLive: number;
  /** Keys that nobody has used yet, or that are all to be used once, in this order. */
  readonly firstUses: readonly number[];
  readonly operations: number;
  readonly concurrency: number;
  /** Operations between two samples. */
  readonly sampleEvery: number;
  /** What is written before an operation is begun, and after it has been acknowledged. */
  readonly log: string;
}

/** One thing that a worker does in a conversation. */
export type LoadDeed = 'say' | 'turn' | 'silence' | 'reset' | 'roll-over' | 'restore' | 'archive' | 'hibernate';

/** A line of the log. */
export type LogLine =
  | { readonly is: 'begun'; readonly key: number; readonly deed: LoadDeed; readonly mark: string }
  | {
      readonly is: 'done';
      readonly key: number;
      readonly deed: LoadDeed;
      readonly mark: string;
      /** The current generation afterwards; `null` where there is none. */
      readonly sessionId: string | null;
      /** Seq of the user's message, where one was stored. */
      readonly seq: number | null;
      /** The generation that a new one follows. */
      readonly previousSessionId: string | null;
      readonly text: string | null;
    };

/** How a worker stands. */
export interface LoadSample {
  readonly operations: number;
  readonly ms: number;
  /** After a collection of garbage. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Conversations that are awake. */
  readonly awake: number;
  /** About how much memory they hold, as the product says. */
  readonly heldBytes: number;
  /** Open file descriptors; `null` where the system does not tell. */
  readonly files: number | null;
}

/** What a worker says. */
export type LoadSaid =
  | { readonly said: 'sample'; readonly sample: LoadSample }
  | { readonly said: 'closed'; readonly sample: LoadSample }
  | { readonly said: 'failed'; readonly error: string };
