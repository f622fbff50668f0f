import { VarveError } from '@varve/core';

const knownFormats =
  'Pass a session file of pi, OpenClaw or Claude Code (JSON Lines), messages in the form of OpenAI or Anthropic (a ' +
  'JSON array of {"role", "content"}, {"messages": […]}, or one of either a line), or a trajectory of SWE-agent, ' +
  'mini-swe-agent or tau-bench.';

/** The file cannot be read from the disk. */
export function unreadable(
  path: string,
  { reason, cause }: { readonly reason: string; readonly cause?: unknown },
): VarveError {
  return new VarveError('VARVE_TRANSCRIPT_UNREADABLE', `"${path}" cannot be read: ${reason}.`, {
    fix: 'Pass the path of a regular file that this process may read.',
    details: { path },
    cause,
  });
}

/** The file has no message in it. */
export function empty(path: string, reason: string): VarveError {
  return new VarveError('VARVE_TRANSCRIPT_EMPTY', `"${path}" holds no message: ${reason}.`, {
    fix: 'Pass a transcript with at least one message.',
    details: { path },
  });
}

/** The file is no transcript in a known format. */
export function unknownFormat(path: string, reason: string): VarveError {
  return new VarveError('VARVE_TRANSCRIPT_FORMAT', `"${path}" is not a transcript that Varve knows: ${reason}.`, {
    fix: knownFormats,
    details: { path },
  });
}

/** The file is one JSON document, too large to be held at once. */
export function tooLarge(path: string, { size, limit }: { readonly size: number; readonly limit: number }): VarveError {
  const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
  const what = `"${path}" is one JSON document of ${megabytes(size)} MB; the limit is ${megabytes(limit)} MB.`;
  return new VarveError('VARVE_TRANSCRIPT_TOO_LARGE', what, {
    fix: 'Split the file, or convert it to JSON Lines, which are read line by line at any size.',
    details: { path, size, limit },
  });
}

/** The file holds no conversation with that number. */
export function noSuchItem(
  path: string,
  { item, items }: { readonly item: number; readonly items: number | null },
): VarveError {
  const held = items === null ? '' : ` It holds ${items === 1 ? 'one' : items}.`;
  return new VarveError('VARVE_TRANSCRIPT_ITEM', `"${path}" holds no conversation number ${item}.${held}`, {
    fix: items === null ? 'Count conversations from 1.' : `Pass a number from 1 to ${items}.`,
    details: { path, item, items },
  });
}

/** Throws when the caller has aborted. Called after everything that can take long. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new VarveError('VARVE_ABORTED', 'Reading the transcript was aborted by its caller.', {
    fix: 'Call again without aborting the signal.',
    cause: signal.reason,
  });
}

/** What a thrown value says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
