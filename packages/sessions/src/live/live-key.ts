import type { Milliseconds, Session } from '@varve/core';
import { createKeyLock, type KeyLock } from './key-lock.ts';

/** What is known in this process of one conversation, while it is awake or somebody works with it. */
export interface LiveKey {
  readonly keyText: string;
  readonly lock: KeyLock;
  /** Its current generation, while it is awake. */
  session: Session | null;
  /** Under way, so that several that come at once open one session. */
  waking: Promise<void> | null;
  /** Under way; never rejects. */
  closing: Promise<void> | null;
  /** Whether the session was found to be the current one since somebody began to work with it. */
  isCurrent: boolean;
  /** Whether it has been told that somebody works with it. */
  isActive: boolean;
  /** Since when the session is awake. */
  awakeSince: Milliseconds;
  lastUsedAt: Milliseconds;
  /** About how much memory it held when it was last used. */
  bytes: number;
}

/** Makes that of a conversation which is asleep. */
export function createLiveKey(keyText: string): LiveKey {
  return {
    keyText,
    lock: createKeyLock(),
    session: null,
    waking: null,
    closing: null,
    isCurrent: false,
    isActive: false,
    awakeSince: 0,
    lastUsedAt: 0,
    bytes: 0,
  };
}
