import { z } from 'zod';

/** How recall brings back what a question needs, and how much of a prompt it may take. Shares are of the budget. */
export interface RecallOptions {
  /**
   * `cache-friendly`: once a compaction has happened, small notes of the best lines that are not visible; they stay where
   * they were added, so that prompts only grow at their end. `quality`: fresh recall and identifiers in a layer that is
   * placed last, and older history yields to it; for one-shot questions, and where nothing is cached.
   * @default 'cache-friendly'
   */
  readonly mode?: 'cache-friendly' | 'quality' | undefined;
  /** What recall takes, in shares from 0 to 1. */
  readonly shares?:
    | {
        /** The first note after a compaction. @default 0.18 */
        readonly firstNote?: number | undefined;
        /** Each note after it that is for something new that the user says or asks. @default 0.08 */
        readonly question?: number | undefined;
        /** Each other note: while tools are called. @default 0.04 */
        readonly note?: number | undefined;
        /**
         * Of each note, where tools were called: lines in which the identifiers that matter most were last used. The rest
         * is for what the question asks for; what that leaves, lines take, too, unless this is 0. @default 0.6
         */
        readonly identifiers?: number | undefined;
        /** Passages in mode `quality`, where tools were called. @default 0.25 */
        readonly recall?: number | undefined;
        /** Identifiers and their lines in mode `quality`, where tools were called. @default 0.45 */
        readonly ledger?: number | undefined;
        /** Passages in mode `quality`, where no tool ever was. @default 0.85 */
        readonly chatRecall?: number | undefined;
      }
    | undefined;
  /** Most tokens of the first note after a compaction. @default 6000 */
  readonly firstNoteTokens?: number | undefined;
  /** Most tokens of a note while tools are called. @default 600 */
  readonly noteTokens?: number | undefined;
  /** Most tokens of a note for what the user says or asks. @default 2000 */
  readonly questionTokens?: number | undefined;
  /** A note has only passages whose score is this share of the best one's. @default 0.5 */
  readonly minScore?: number | undefined;
  /**
   * How many passages on each side lift one that is said beside them: an answer seldom repeats the words of its question.
   * From 0, where each passage counts by itself, to 5. @default 2
   */
  readonly neighbours?: number | undefined;
  /** What parts of the question count. */
  readonly weights?:
    | {
        /**
         * Paths, names of code, ids and numbers in what is looked for, beside its other words: 1 for as much as any of
         * them, 0 for nothing, at most 10. @default 1
         */
        readonly identifiers?: number | undefined;
      }
    | undefined;
  /** Whether the model gets `recall_grep` and `recall_expand`. @default true */
  readonly tools?: boolean | undefined;
  /** Sessions whose indexes are kept in memory. @default 32 */
  readonly maxSessions?: number | undefined;
  /**
   * Of each session, the newest text whose words are kept: what lies before is not recalled by itself, only found by
   * `recall_grep`. In UTF-16 code units; a short message counts as 200. @default 16 000 000
   */
  readonly maxChars?: number | undefined;
  /**
   * Text whose words are kept for all sessions of a host together. Beyond it the indexes that were not used for longest go,
   * each as a whole, and are made anew; those that are in use and the one that was used last stay, so that `maxChars` is not
   * cut by it. In UTF-16 code units. @default 64 000 000
   */
  readonly maxTotalChars?: number | undefined;
}

/** The options with every default filled in. */
export interface CheckedRecallOptions {
  readonly mode: 'cache-friendly' | 'quality';
  readonly shares: {
    readonly firstNote: number;
    readonly question: number;
    readonly note: number;
    readonly identifiers: number;
    readonly recall: number;
    readonly ledger: number;
    readonly chatRecall: number;
  };
  readonly firstNoteTokens: number;
  readonly noteTokens: number;
  readonly questionTokens: number;
  readonly minScore: number;
  readonly neighbours: number;
  readonly weights: { readonly identifiers: number };
  readonly tools: boolean;
  readonly maxSessions: number;
  readonly maxChars: number;
  readonly maxTotalChars: number;
}

const share = z.number().min(0).max(1);

/** Checks the options of the plugin and fills in what is not said. */
export const recallOptions: z.ZodType<CheckedRecallOptions, RecallOptions> = z.strictObject({
  mode: z
    .enum(['cache-friendly', 'quality'])
    .default('cache-friendly')
    .describe('Notes that stay where they were added, or a fresh layer in each prompt.'),
  shares: z
    .strictObject({
      firstNote: share.default(0.18).describe('Of the budget: the first note after a compaction.'),
      question: share.default(0.08).describe('Of the budget: each note after it for what the user says or asks.'),
      note: share.default(0.04).describe('Of the budget: each other note.'),
      identifiers: share.default(0.6).describe('Of each note, where tools were called: lines with identifiers.'),
      recall: share.default(0.25).describe('In mode quality, where tools were called: passages.'),
      ledger: share.default(0.45).describe('In mode quality, where tools were called: identifiers.'),
      chatRecall: share.default(0.85).describe('In mode quality, where no tool ever was: passages.'),
    })
    .refine(({ recall, ledger }) => recall + ledger <= 1, { error: 'recall and ledger are more than all there is' })
    .prefault({})
    .describe('How much of a prompt recall may take.'),
  firstNoteTokens: z.int().nonnegative().default(6_000).describe('Most tokens of the first note after a compaction.'),
  noteTokens: z.int().nonnegative().default(600).describe('Most tokens of a note while tools are called.'),
  questionTokens: z
    .int()
    .nonnegative()
    .default(2_000)
    .describe('Most tokens of a note for what the user says or asks.'),
  minScore: share.default(0.5).describe("A note has only passages with this share of the best one's score."),
  neighbours: z.int().min(0).max(5).default(2).describe('Passages on each side that lift one said beside them.'),
  weights: z
    .strictObject({
      identifiers: z.number().min(0).max(10).default(1).describe('Identifiers of the question beside its other words.'),
    })
    .prefault({})
    .describe('What parts of the question count.'),
  tools: z.boolean().default(true).describe('Whether the model gets recall_grep and recall_expand.'),
  maxSessions: z.int().min(1).max(10_000).default(32).describe('Sessions whose indexes are kept in memory.'),
  maxChars: z
    .int()
    .min(10_000)
    .max(1_000_000_000)
    .default(16_000_000)
    .describe('Of each session, the newest text whose words are kept; a short message counts as 200 characters.'),
  maxTotalChars: z
    .int()
    .min(10_000)
    .max(100_000_000_000)
    .default(64_000_000)
    .describe('The same of all sessions together: beyond it, indexes that were not used for longest go.'),
});
