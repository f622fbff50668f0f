/** What a configuration says and is read otherwise than it may seem. */
export interface ConfigWarning {
  /** Where it is written, as `session.identityLinks`. */
  readonly path: string;
  /** How it is read, in words. */
  readonly text: string;
}
