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
