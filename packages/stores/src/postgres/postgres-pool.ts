/** A statement as `pg` takes it. */
export interface PostgresStatement {
  readonly text: string;
  readonly values?: unknown[];
}

/** One connection of a pool, as much of it as the store uses. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<{ readonly rows: Record<string, unknown>[] }>;
  /** Gives the connection back; with an error it is closed instead. */
  release(error?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: PostgresNotification) => void): unknown;
}

/** What a connection that listens is told. */
export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A `Pool` of the package `pg`, as much of it as the store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** `max` is how many connections it has at most. */
  readonly options?: { readonly max?: number | undefined } | undefined;
}
