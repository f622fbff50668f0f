/** What the process tells its caller when it ends. */
export const exitCodes = {
  /** Everything was done. */
  done: 0,
  /** It ran to the end, but a request could not be made, a message was refused, or a plugin failed. */
  failures: 1,
  /** It could not be done at all: a wrong option, a file that is no transcript, an impossible budget. */
  error: 2,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const;

/** One of the documented exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
