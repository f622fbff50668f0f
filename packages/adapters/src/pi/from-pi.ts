import type { JsonValue } from '@varve/core';
import type { ListedMessage } from '../message-list/index.ts';
import { readPiMessage } from '../transcripts/pi.ts';
import type { PiMessage } from './pi-message.ts';

/** Options of {@link fromPi}. */
export interface FromPiOptions {
  /**
   * What becomes of a summary that stands in the list for messages before it: `skip` for a journal that has those
   * messages, `take` for one that is to know no more than the list.
   *
   * @default 'skip'
   */
  readonly summaries?: 'skip' | 'take' | undefined;
}

/** A message of a list of pi's, with the one that it was read from. */
export interface ListedPiMessage extends ListedMessage {
  readonly given: PiMessage;
}

/**
 * Reads the list of messages that pi hands to its extensions, and OpenClaw to its context engines. Left out is what no
 * model is shown: commands that the user ran for himself, and roles that nobody knows.
 *
 * @param messages  The whole list, oldest first.
 */
export function fromPi(
  messages: readonly PiMessage[],
  { summaries = 'skip' }: FromPiOptions = {},
): readonly ListedPiMessage[] {
  return messages.flatMap((given) => {
    if (given.role === 'compactionSummary' && summaries === 'skip') return [];
    return listedOf(given).map((listed) => ({ ...listed, given }));
  });
}

const summaryRoles: ReadonlySet<string> = new Set(['compactionSummary', 'branchSummary']);

function listedOf(given: PiMessage): readonly ListedMessage[] {
  if (summaryRoles.has(given.role)) {
    const { summary } = given;
    if (typeof summary !== 'string') return [];
    return [{ message: { role: 'user', content: summary }, provenance: { kind: 'system-event' } }];
  }
  return readPiMessage(given as { readonly [field: string]: JsonValue }).flatMap((record) => {
    if (record.kind !== 'message') return [];
    const { message, provenance, usage } = record;
    return [{ message, provenance, usage }];
  });
}
