/** The dialogue as data: turns of a developer and an assistant whose tool calls are run for real by the recorder. */

/** What the recorder makes sure of when it runs a call, and what it keeps of the output. */
export interface CallChecks {
  /** The call must end in an error. @default false: it must not */
  readonly fails?: boolean;
  /** What the assistant is going to say must be true: the output matches all of these. */
  readonly expect?: readonly RegExp[];
  /** Values of the output, by name: the first group of the expression. Later texts and calls name them `{{name}}`. */
  readonly keep?: Readonly<Record<string, RegExp>>;
}

/** The arguments of a tool call; `file` stands for the text of a file in `files/`, which the tool gets as `content`. */
export interface CallInput {
  readonly path?: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly file?: string;
  readonly content?: string;
  readonly oldText?: string;
  readonly newText?: string;
  readonly command?: string;
}

/** One tool call. */
export interface Call extends CallChecks {
  readonly tool: 'read' | 'write' | 'edit' | 'bash';
  readonly input: CallInput;
}

/** One message of the assistant: its words and its tool calls. Without calls the turn is over. */
export type Step = readonly (string | Call)[];

/** One message of the developer, and the assistant's loop that answers it. */
export interface Turn {
  /** Pause before the message, in minutes, or when it is written. */
  readonly after: number | `${string}Z`;
  /** What the developer did in the meantime; it is carried out, but is not part of the transcript. */
  readonly meanwhile?: readonly (Call | 'install')[];
  readonly user: string;
  readonly steps: readonly Step[];
}

/** Reads a file of the working copy, from line `offset` on, at most `limit` lines. */
export function read(path: string, range: { readonly offset?: number; readonly limit?: number } = {}): Call {
  return { tool: 'read', input: { path, ...range } };
}

/** Writes a file of the working copy; its text is in `files/`. */
export function write(path: string, file: string): Call {
  return { tool: 'write', input: { path, file } };
}

/** Replaces the one place in a file where `oldText` stands. */
export function edit(path: string, text: { readonly oldText: string; readonly newText: string }, checks = {}): Call {
  return { tool: 'edit', input: { path, ...text }, ...checks };
}

/** Runs a command in the root of the working copy. */
export function bash(command: string, checks: CallChecks = {}): Call {
  return { tool: 'bash', input: { command }, ...checks };
}

/** Runs a script of the working copy on the sources, without a build. */
export function run(script: string, checks: CallChecks = {}): Call {
  return bash(`node --conditions=@varve/source --import tsx ${script}`, checks);
}
