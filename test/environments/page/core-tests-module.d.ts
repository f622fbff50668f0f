/** Made by the bundler: the test files of core by their path. */
declare module 'virtual:core-tests' {
  export const testFiles: Readonly<Record<string, () => Promise<unknown>>>;
}
