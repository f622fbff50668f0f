/**
 * Every error code of Varve with what it means, sorted by name.
 * Codes are stable between minor versions; messages are not. Each has a section in the reference page "Errors".
 */
export const errorCodes = {
  VARVE_ABORTED: 'The caller aborted the operation through its signal.',
  VARVE_BUDGET_IMPOSSIBLE: 'What must be in the prompt is larger than its budget.',
  VARVE_BUDGET_INVALID: 'A budget option is not a positive number, or contradicts another one.',
  VARVE_CHECKPOINT_VERSION: 'A checkpoint was written by a version of Varve that knows other things.',
  VARVE_CHILDREN_RUNNING: 'The conversation cannot be archived: sub-agents work for it.',
  VARVE_COMPACTION_UNKNOWN: 'No compaction with that id is in the journal.',
  VARVE_CONFIG_INVALID: 'A configuration has a setting that does not exist, or a value that makes no sense.',
  VARVE_CONFIG_UNREADABLE: 'A configuration file is not there, cannot be read, or is not written in its language.',
  VARVE_CORE_DUPLICATE: 'The process holds two copies of @varve/core.',
  VARVE_DELIVERY_FAILED: 'Something that may leave a conversation could not be sent.',
  VARVE_DRAFT_FOREIGN: 'A plugin returned something that is not a draft of this assembly.',
  VARVE_DRAFT_LAYER: 'A plugin tried to replace a layer of somebody else.',
  VARVE_DRAFT_LIVE: 'A plugin tried to remove a part of the running turn.',
  VARVE_DRAFT_UNKNOWN: 'A draft operation named an item, group or layer that does not exist.',
  VARVE_ENGINE_UNKNOWN: 'The host was asked for a context engine that no plugin registered.',
  VARVE_ENTRY_INVALID: 'An entry is not JSON, has a seq that is not the next, or a field that is for the store alone.',
  VARVE_ENTRY_TOO_LARGE: 'An entry, or a checkpoint, is larger than a line of the store may be.',
  VARVE_ENTRY_UNKNOWN: 'No entry with that id or seq is in the journal.',
  VARVE_ENTRY_UNREADABLE: 'An entry does not have the shape of its type, or is of a type or version that is not known.',
  VARVE_FORGET_REFUSED:
    'Entries cannot be forgotten: something is under way, or they or the reason are not fit for it.',
  VARVE_FORK_EXISTS: 'A session was to be forked into one that exists already.',
  VARVE_FORK_TOO_LARGE: 'The messages of a session that was to be forked have more tokens than the fork may have.',
  VARVE_FORK_TORN: 'The session is a fork that was not finished: its journal holds a part of what it should.',
  VARVE_HOOK_FROZEN: 'A tap was added after the host had started.',
  VARVE_HOST_OPTIONS: 'The host, or the opening of a session, was given an option that does not exist.',
  VARVE_INGEST_REFUSED: 'A plugin refused the message; nothing was stored.',
  VARVE_KEY_INVALID: 'A session key has an empty part, or is none of the forms of a key.',
  VARVE_KEY_TAKEN: 'A conversation was to be begun under a key under which another one goes on.',
  VARVE_LEASE_LOST: 'Another host has taken over the turns of the session.',
  VARVE_MESSAGE_INVALID: 'A message does not have the shape of the message contract.',
  VARVE_MODEL_FAILED: 'A model call failed for another reason than the length of its input.',
  VARVE_MODEL_OVERFLOW: 'The input of a model call was too long for the model.',
  VARVE_OPTION_INVALID: 'An argument of a method does not have the documented shape.',
  VARVE_PLUGIN_API: 'The plugin was written for a version of the plugin API that this host does not provide.',
  VARVE_PLUGIN_CYCLE: 'Plugins demand an order that contains a cycle.',
  VARVE_PLUGIN_DUPLICATE: 'Two plugins have the same name.',
  VARVE_PLUGIN_FAILED: 'A plugin threw, or returned something of the wrong shape, in a hook whose failure is final.',
  VARVE_PLUGIN_INVALID: 'The value in the plugins array is not a plugin.',
  VARVE_PLUGIN_MISSING: 'A plugin requires another one that is not installed.',
  VARVE_PLUGIN_OPTIONS: 'The options of a plugin do not match its schema.',
  VARVE_PLUGIN_READ: 'A plugin asked for more entries of the journal than it gets at once.',
  VARVE_PLUGIN_RECORD: 'A plugin recorded something that is not JSON, or under a name that is not its own.',
  VARVE_PLUGIN_UNLOADABLE: 'A package that was to be checked cannot be loaded, or holds nothing that can be checked.',
  VARVE_PLAN_INVALID: 'A compaction plan would split a group, skip entries or leave nothing out.',
  VARVE_REQUEST_INVALID: 'A gateway was asked for something that it does not know, or in another way than it takes.',
  VARVE_REQUEST_LIMIT: 'A gateway was asked for more at once, or in a minute, than one caller may.',
  VARVE_ROUTING_INVALID: 'The routing of messages has an unknown scope, or links that contradict each other.',
  VARVE_SESSION_BUSY: 'The conversation cannot be rewound or undone while a turn runs.',
  VARVE_SESSION_CLOSED: 'The session was used after it had been closed.',
  VARVE_SESSION_UNKNOWN: 'The conversation has no generation with that session id, or none that goes on.',
  VARVE_SPAWN_REFUSED: 'A sub-agent cannot begin: beyond a limit, or for an agent or a model that it may not have.',
  VARVE_STORE_CLOSED: 'The journal or store was used after it had been closed.',
  VARVE_STORE_CONFLICT: 'Somebody else appended to the journal, or its file is not as it was left.',
  VARVE_STORE_DAMAGED: 'The journal holds bytes that cannot be read as entries.',
  VARVE_STORE_IO: 'The disk or the database refused a read or a write.',
  VARVE_STORE_LINK: 'A folder or file of the store is a symbolic link that leads out of its root.',
  VARVE_STORE_LOCKED: 'Another process writes to this journal.',
  VARVE_STORE_MISSING: 'There is no journal with that session id.',
  VARVE_STORE_READ_ONLY: 'The journal was opened for reading only.',
  VARVE_STORE_VERSION: 'The store was made by a later version of Varve.',
  VARVE_TAP_BEFORE: 'A tap asked to run before another tap; order belongs to plugins.',
  VARVE_TAP_EXPIRED: 'A tap used its context after its deadline.',
  VARVE_TAP_TIMEOUT: 'A tap did not finish before its deadline.',
  VARVE_TOKEN_INVALID: 'A gateway was called without a token, or with one that does not hold.',
  VARVE_TOKEN_ROLE: 'The token of a call to a gateway has a role that may not do this.',
  VARVE_TOOL_DUPLICATE: 'Two tools have the same name.',
  VARVE_TOOL_INVALID: 'A plugin offers a tool with a name, description, schema or deadline that no tool can have.',
  VARVE_TRANSCRIPT_EMPTY: 'The transcript holds no message.',
  VARVE_TRANSCRIPT_FORMAT: 'The file is not a transcript in a format that Varve knows.',
  VARVE_TRANSCRIPT_ITEM: 'The file holds no conversation with that number.',
  VARVE_TRANSCRIPT_TOO_LARGE: 'The file is one JSON document and too large to be read at once.',
  VARVE_TRANSCRIPT_UNREADABLE: 'The transcript cannot be read from the disk.',
  VARVE_UNDO_ORDER: 'A later compaction builds on the one that was to be undone.',
  VARVE_UNDO_TYPE: 'Entries of that type cannot be undone.',
  VARVE_USAGE: 'The command line was used in a way that it does not understand.',
} as const;

/** One of the stable error codes. */
export type ErrorCode = keyof typeof errorCodes;

/** Marks the class across duplicate installs of this package, where `instanceof` fails. */
const marker: unique symbol = Symbol.for('varve.error') as never;

/** How an error is built: `fix` says in the imperative what to do; `details` is for programs. */
export interface VarveErrorOptions {
  /** What the reader can do about it, as an imperative sentence. */
  readonly fix: string;
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** Values of the message for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The only error class of Varve. Its message says what happened with the values that matter; `code` is stable and
 * documented, `fix` says what to do. Recognise it with {@link VarveError.is}, never with `instanceof`.
 */
export class VarveError extends Error {
  override readonly name = 'VarveError';
  /** Stable code, documented on the reference page "Errors". */
  readonly code: ErrorCode;
  /** What to do about it. */
  readonly fix: string;
  /** Values of the message for programs. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: VarveErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Object.defineProperty(this, marker, { value: true });
    this.code = code;
    this.fix = options.fix;
    this.details = options.details ?? {};
  }

  /** True when `value` is an error of Varve, and, if `code` is given, has that code. */
  static is(value: unknown, code?: ErrorCode): value is VarveError {
    if (typeof value !== 'object' || value === null || !(marker in value)) return false;
    return code === undefined || (value as unknown as VarveError).code === code;
  }
}

/** Text of anything that was thrown, for messages and events. */
export function messageOfError(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'a value that cannot be shown';
  }
}

/** Throws `VARVE_ABORTED` when the signal is aborted. Called after every await that can be long. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new VarveError('VARVE_ABORTED', 'The operation was aborted by its caller.', {
    fix: 'Call again without aborting the signal.',
    cause: signal.reason,
  });
}
