// The scripts are plain JavaScript that Node runs as it is; this says to tests what they give.
declare module '*/packed/public-packages.mjs' {
  /** Every package of this repository that is not private. */
  export function publicPackages(): readonly {
    readonly folder: string;
    readonly manifest: { readonly name: string; readonly version: string };
  }[];
}

declare module '*/packed/npm-environment.mjs' {
  /** What npm runs in. */
  export function npmEnvironment(own?: { readonly url?: string; readonly cache?: string }): NodeJS.ProcessEnv;
}

declare module '*/packed/surface-differences.mjs' {
  /** What differs between two surfaces, declaration by declaration. */
  export function surfaceDifferences(before: string, after: string): readonly string[];
}
