import { VarveError } from '@varve/core';

/** Who works for conversations, and would have nobody to tell an end to if they were archived. */
export interface ArchiveGuard {
  /**
   * Keys of the sub-agents that work for a conversation, here or in another process.
   *
   * @param parent.sessionId  Its current generation.
   */
  atWork(parent: { readonly keyText: string; readonly sessionId: string }): Promise<readonly string[]>;
  /** Stops them, and takes their ends in. Not to be called while the key is held. @throws VARVE_STORE_LOCKED */
  stop(keyText: string, children: readonly string[]): Promise<void>;
}

/** What keeps a conversation from being archived. */
export function childrenRunningError(keyText: string, children: readonly string[]): VarveError {
  const [first = ''] = children;
  const many = children.length === 1 ? 'a sub-agent works' : `${children.length} sub-agents work`;
  return new VarveError(
    'VARVE_CHILDREN_RUNNING',
    `"${keyText}" cannot be archived: ${many} for it, such as ${first}.`,
    {
      fix: 'Wait for their ends, or archive with cascade: true, which stops them first.',
      details: { children },
    },
  );
}
