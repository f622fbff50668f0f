import type { SessionView } from '@varve/core';
import { type Conversation, conversationOf } from './conversation.ts';
import { mayRead } from './may-read.ts';
import { createMemoryIndex, type MemoryIndex } from './memory-index.ts';
import type { Note } from './note.ts';
import type { SettledOptions } from './options.ts';
import { createPastSessions, type PastSessions } from './past/past-sessions.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** What layers and tools of one plugin share. */
export interface LongTermMemory {
  readonly options: SettledOptions;
  readonly workspace: Workspace;
  readonly index: MemoryIndex;
  /** Earlier conversations; `null` where they are not searched. */
  readonly past: PastSessions | null;
  conversation(session: SessionView): Conversation;
  /** Says which notes a conversation may see. */
  filterFor(conversation: Conversation): (note: Note) => boolean;
  /** Tells of each problem once. */
  warn(problems: readonly string[], warn: (text: string) => void): void;
}

const memories = new WeakMap<SettledOptions, LongTermMemory>();

/** The memory of these options: taps and tools are given the same options object, and so share one. */
export function memoryOf(options: SettledOptions): LongTermMemory {
  const known = memories.get(options) ?? createMemory(options);
  memories.set(options, known);
  return known;
}

function createMemory(options: SettledOptions): LongTermMemory {
  const { dir, memory, owners, embedder, pastSessions } = options;
  const told = new Set<string>();
  return {
    options,
    workspace: createWorkspace({ dir, memoryNames: memory }),
    index: createMemoryIndex(embedder),
    past: pastSessions === null ? null : createPastSessions(pastSessions, owners),
    conversation: (session) => conversationOf(session, owners),
    filterFor: (conversation) => (note) => mayRead(note, conversation, options),
    warn: (problems, warn) => {
      for (const problem of problems) {
        if (told.has(problem)) continue;
        told.add(problem);
        warn(problem);
      }
    },
  };
}
