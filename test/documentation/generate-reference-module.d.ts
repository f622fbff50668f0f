// The script is plain JavaScript that Node runs as it is; this says to tests what it gives.
declare module '*/generate-reference.mjs' {
  /** Every generated part of the reference, by its name. */
  export function generateParts(): ReadonlyMap<string, string>;

  /** A page's text with its generated parts as `parts` has them, and the names of these parts. */
  export function fillParts(
    text: string,
    parts: ReadonlyMap<string, string>,
  ): { readonly filled: string; readonly names: readonly string[] };
}
