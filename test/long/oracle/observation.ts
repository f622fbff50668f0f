// What a transcript left behind, as plain data. Nothing here, or in the other files of this folder, is imported from the
// product: the shapes are this oracle's own reading of what journals and prompts look like from outside.

/** A part of a message. */
export interface SeenPart {
  readonly type: string;
  readonly text?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly toolName?: string | undefined;
  readonly input?: unknown;
  readonly output?: { readonly type: string; readonly value: unknown } | undefined;
  readonly mediaType?: string | undefined;
  readonly filename?: string | undefined;
}

/** A message, in the journal or in a prompt. */
export interface SeenMessage {
  readonly role: string;
  readonly content: string | readonly SeenPart[];
  readonly stop?: string | undefined;
}

/** An edit that an entry of the journal holds. */
export interface SeenEdit {
  readonly entryId: string;
  readonly seq: number;
  readonly part?: number | undefined;
  readonly rule: string;
  readonly text: string;
  readonly verdict?: string | undefined;
}

/** Names an entry. */
interface SeenRef {
  readonly id: string;
  readonly seq: number;
}

/** A text that a plugin put between the messages: from the request on that had it first, it stays where it was made. */
export interface SeenNote {
  readonly id: string;
  readonly by: string;
  /** The entry behind whose group it stands. */
  readonly afterSeq: number;
  readonly rule: string;
  readonly text: string;
  readonly tokens: number;
  /** The entries that it quotes. */
  readonly seqs: readonly number[];
}

/** A line of the journal: all that lines of the types have. */
export interface SeenEntry extends SeenRef {
  readonly parentId: string | null;
  readonly type: string;
  readonly message?: SeenMessage;
  readonly provenance?: { readonly kind: string };
  readonly key?: string | undefined;
  readonly tokens?: unknown;
  readonly range?: {
    readonly from: SeenRef;
    readonly to: SeenRef;
    readonly firstKept: SeenRef | null;
    readonly held: SeenRef | null;
  };
  readonly edits?: readonly SeenEdit[];
  readonly prose?: string | null;
  readonly by?: unknown;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
  readonly targetId?: string;
  readonly slot?: string;
  readonly text?: string | null;
  readonly name?: string;
  readonly value?: unknown;
  readonly model?: string;
  readonly changes?: readonly (SeenVerdict & {
    readonly seq: number;
    readonly toSeq?: number | undefined;
    readonly verdict: string;
  })[];
  readonly notes?: readonly SeenNote[] | undefined;
  readonly leftOutNotes?: readonly Omit<SeenNote, 'text' | 'tokens' | 'seqs'>[] | undefined;
}

/** Why something is, or is not, in a prompt. */
interface SeenVerdict {
  readonly rule?: string | undefined;
  readonly by?: string | undefined;
}

/** A prompt as it was given to the host. */
export interface SeenPrompt {
  readonly system: readonly { readonly layer: string; readonly text: string }[];
  readonly messages: readonly SeenMessage[];
  readonly marks: { readonly afterSystem: number; readonly afterStable: number };
  readonly tokens: number;
  readonly manifest: {
    readonly request: number;
    readonly entries: readonly (SeenVerdict & {
      readonly seq: number;
      readonly kind: string;
      readonly role: string;
      readonly tokens: number;
    })[];
    readonly ranges: readonly (SeenVerdict & {
      readonly fromSeq: number;
      readonly toSeq: number;
      readonly kind: string;
    })[];
    readonly layers: readonly { readonly id: string; readonly place: string; readonly tokens: number }[];
    readonly notes: readonly (SeenNote & {
      readonly isNew: boolean;
      readonly leftOut?: SeenVerdict | undefined;
    })[];
    readonly madeUpTokens: number;
    readonly actions: readonly { readonly kind: string }[];
    readonly firstChangedByte: number | null;
  };
}

/** What a call allowed its prompt: `Infinity` for no limit, and the tokens that are not in the prompt but count. */
interface SeenAllowance {
  readonly input: number;
  readonly reserved: number;
}

/** The numbers that are to show that nothing fits; which of them depends on where that was found out. */
interface SeenCertificate {
  readonly budgetTokens?: number;
  readonly liveTokens?: number;
  readonly otherTokens?: number;
  readonly tokens?: number;
  readonly input?: number;
  readonly reservedTokens?: number;
  readonly toolTokens?: number;
  readonly systemTokens?: number;
}

/** One thing that was seen from outside, in the order in which it was. `op` is the index of the operation. */
export type SeenEvent = { readonly op: number } & (
  | {
      readonly kind: 'ingest';
      readonly entryId: string;
      readonly message: SeenMessage;
      readonly key: string | null;
    }
  /** A prompt that was recorded as a request. `isFirst`: the process has made none before. */
  | ({
      readonly kind: 'prompt';
      readonly prompt: SeenPrompt;
      readonly isFirst: boolean;
    } & SeenAllowance)
  /** A prompt that could not be made. `storedSeq`: the last entry then; `hasLayers`: plugins may add some. */
  | ({
      readonly kind: 'impossible';
      readonly details: SeenCertificate;
      readonly storedSeq: number;
      readonly model: string;
      readonly hasLayers: boolean;
    } & SeenAllowance)
  /** Two things that must be the same. */
  | { readonly kind: 'same'; readonly what: SameWhat; readonly a: unknown; readonly b: unknown }
  | { readonly kind: 'move'; readonly given: string; readonly head: string }
  /** What a prompt was sent in. */
  | {
      readonly kind: 'body';
      readonly provider: SeenProvider;
      readonly prompt: Pick<SeenPrompt, 'system' | 'messages'>;
      readonly body: unknown;
    }
  | ({ readonly kind: 'reply' } & SeenReply)
  /** Something that must not happen: an error without a reason, a plugin in ill health. */
  | { readonly kind: 'wrong'; readonly what: string }
);

/** The API that a body is for. */
export type SeenProvider = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** What a model answered that was asked for a summary; what was no answer is not seen. */
export interface SeenReply {
  /** Stands in the text and nowhere else. */
  readonly mark: string;
  readonly text: string;
  /** Why it ended. */
  readonly stop: string;
  readonly hasCall: boolean;
  /** Tokens of all that it was asked with. */
  readonly sourceTokens: number;
}

/** Which two things: each is a rule of its own. */
export type SameWhat = 'dry-run' | 'dry-run-length' | 'restart' | 'other-host' | 'undo' | 'fold';

/** All that is known of a transcript. */
export interface Observation {
  readonly events: readonly SeenEvent[];
  /** The journal at the end, from its first line. */
  readonly entries: readonly SeenEntry[];
  /** For each layer of a plugin, the texts that it may have. */
  readonly layerTexts: Readonly<Record<string, readonly string[]>>;
}

/** The rule that was broken, and how. */
export interface Violation {
  readonly rule:
    | 'pairing'
    | 'accounting'
    | 'tokens'
    | 'live'
    | 'budget'
    | 'prefix'
    | 'fold'
    | 'lost'
    | 'determinism'
    | 'undo'
    | 'restart'
    | 'plan'
    | 'head'
    | 'note'
    /** A provider's rule, which the provider's own rule book finds broken. */
    | 'provider'
    | 'body'
    | 'prose'
    | 'wrong';
  readonly op: number;
  readonly what: string;
}
