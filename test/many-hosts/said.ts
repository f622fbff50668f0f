/** How a host reaches the tables that it shares with the others. */
export interface HostJob {
  /** The file of the package `pg`, which stays outside of the built worker. */
  readonly driver: string;
  readonly pool: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  readonly schema: string;
  /** Time passes so many times faster than that of the machine, from a moment on which is the same for all. */
  readonly clock: { readonly from: number; readonly speed: number };
}

/** Something that a host has to do: store a message, or store it and have it answered. */
export interface Task {
  /** The key of its message, which holds it as `[id]`. */
  readonly id: string;
  readonly sessionId: string;
  readonly deed: 'ingest' | 'turn';
}

/** What the run says to a host. */
export type ToHost =
  | { readonly is: 'task'; readonly task: Task }
  | { readonly is: 'answer'; readonly call: number; readonly text: string }
  | { readonly is: 'end' };

/** What a host says. */
export type FromHost =
  | { readonly is: 'ready' }
  | { readonly is: 'call'; readonly call: number; readonly sessionId: string; readonly ids: readonly string[] }
  | { readonly is: 'done'; readonly id: string; readonly entryId: string; readonly seq: number }
  | { readonly is: 'failed'; readonly id: string; readonly code: string }
  | { readonly is: 'ended' };

/** The text of a task's message. */
export function textOf({ id, sessionId }: Task): string {
  return `[${id}] of ${sessionId}: how thick is the layer?`;
}

/** The names of the tasks in a text. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/\[(t\d+)\]/g)].map(([, id]) => id as string);
}
