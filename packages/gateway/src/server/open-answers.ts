import type { Server, ServerResponse } from 'node:http';

/** The answers that are being made. */
export interface OpenAnswers {
  /** Notes one, until it is sent, or its client is gone. */
  note(response: ServerResponse): void;
  /** Ends all connections of a server: those that wait for an answer once they have it, or when the time is over. */
  end(server: Server, mostMs: number): Promise<void>;
}

/** Counts from now on. */
export function createOpenAnswers(): OpenAnswers {
  const open = new Set<ServerResponse>();
  let onNone = (): void => undefined;
  return {
    note: (response) => {
      open.add(response);
      response.once('close', () => {
        open.delete(response);
        if (open.size === 0) onNone();
      });
    },
    end: async (server, mostMs) => {
      let timer: NodeJS.Timeout | undefined;
      if (open.size > 0) {
        await new Promise<void>((resolve) => {
          onNone = resolve;
          timer = setTimeout(resolve, mostMs);
        });
      }
      clearTimeout(timer);
      // A connection that was made and never used is no idle one to the server, which would wait for it.
      server.closeAllConnections();
    },
  };
}
