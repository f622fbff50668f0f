// The judge is plain JavaScript that needs no build; this says to tests what it takes and gives.
declare module '*/judge.mjs' {
  /** One thing that is wrong. */
  export interface Violation {
    readonly kind: string;
    readonly request: number;
    readonly what: string;
  }

  /** What the judge found out. */
  export interface Judgement {
    readonly format: string;
    readonly items: number;
    readonly requests: number;
    readonly dropped: number;
    readonly rewrites: number;
    readonly summarised: number;
    readonly largest: number;
    readonly violations: readonly Violation[];
  }

  /** Judges what `replay --bodies` wrote against the transcript it was made from. */
  export function judge(options: {
    readonly source: string;
    readonly bodies: string;
    readonly budget: number;
    readonly systemTokens?: number;
    readonly rows?: readonly { readonly request: number | null; readonly tokens: number }[];
  }): Judgement;
}

// So is its reader of transcripts.
declare module '*/read-source.mjs' {
  /** Reads a transcript: its conversations, each with its messages and how many stand before each call of a model. */
  export function readSource(path: string): {
    readonly format: string;
    readonly items: readonly {
      readonly messages: readonly {
        readonly where: string;
        readonly role: string;
        readonly meta?: boolean;
        readonly observed?: boolean;
      }[];
      readonly calls: readonly number[];
    }[];
  };
}
