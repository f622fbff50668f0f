export { appendNotes, canAppendNotes, type NotePlace, writtenUpTo } from './append-notes.ts';
export { type Conversation, conversationOf } from './conversation.ts';
export { dayInZone, isTimeZone } from './day-in-zone.ts';
export type { Embedder } from './embedder.ts';
export { ownScope } from './may-read.ts';
export type { NewNote, NotedEntries, NoteScope, NoteSource } from './note.ts';
export type { WorkspaceLayersOptions } from './options.ts';
export type { PastSessionsOptions } from './past/past-options.ts';
export { workspaceLayers } from './workspace-layers.ts';
