/** A line of the user with what the assistant answers. `{slot}` is filled from the word lists of the language. */
export type Exchange = readonly [said: string, answered: string];

/** Something that the user tells, and a question about it much later. */
export interface FactTemplate {
  /** Told in one exchange, or in several with other talk between them. */
  readonly told: readonly Exchange[];
  readonly question: string;
  /** The slot that answers the question; `null` where the answer is more than one word. */
  readonly gold: string | null;
}

/** What dialogues of one language are made of. All of it was written for this benchmark. */
export interface DialogueLanguage {
  /** ISO 639-1. */
  readonly code: string;
  /** Words by slot. A dialogue uses a word of `person` and `pet` once; `code`, `number`, `amount` are drawn. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly facts: readonly FactTemplate[];
  readonly smallTalk: readonly Exchange[];
}
