/** A number of model tokens, as counted by the session's {@link TokenCounter}. */
export type Tokens = number;

/** A duration, or a moment since 1970-01-01T00:00:00Z, in milliseconds. */
export type Milliseconds = number;

/** Position of an entry in its journal: 1 for the first, +1 for each that follows. Prompts name entries by it (`#12`). */
export type Seq = number;

/** Identifier of an entry: 26 characters, sortable by time of creation. Never shown to a model. */
export type Ulid = string;
