/** A message of the list that pi, or OpenClaw, hands over; of other roles and fields, nothing need be known. */
export interface PiMessage {
  /** `user`, `assistant`, `toolResult`, `custom`, `bashExecution`, `branchSummary`, `compactionSummary`, or a later one. */
  readonly role: string;
  readonly [field: string]: unknown;
}

/** A block of a message's content. */
export type PiBlock = { readonly type: string; readonly [field: string]: unknown };

/** The blocks of a message; a text is one block. */
export function blocksOfPi({ content }: PiMessage): readonly PiBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly PiBlock[]) : [];
}
