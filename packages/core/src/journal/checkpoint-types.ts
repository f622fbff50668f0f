/** Entry types whose append carries a checkpoint: they change where reading may start. */
export const checkpointTypes: ReadonlySet<string> = new Set(['compaction', 'head', 'revoke']);
