import { connect, createServer, type Socket } from 'node:net';

/** What happens to the connection on which a certain text is sent. */
interface Accident {
  /** Text that the statement holds. */
  readonly when: string;
  /** Whether the server gets the statement before the connection is cut; its answer is lost in any case. */
  readonly isCarriedOut: boolean;
  /** Called in between, when the server has answered or the statement is lost. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
}

/** A way to a server that can be cut, blocked and closed. */
export interface TcpProxy {
  readonly port: number;
  /** Lets connections through (the start), lets nothing through on any, or refuses and cuts all. */
  become(state: 'open' | 'blocked' | 'closed'): void;
  /** Lets an accident happen, once. */
  plan(accident: Accident): void;
  close(): Promise<void>;
}

/** Listens on a free port of this machine, and passes on what comes. */
export async function tcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'blocked' | 'closed' = 'open';
  let planned: Accident | null = null;
  const server = createServer((client) => {
    const upstream = connect(target);
    const both = [client, upstream];
    const cut = (): void => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    if (state === 'closed') return cut();
    let happening: Accident | null = null;
    const happen = async ({ meanwhile }: Accident): Promise<void> => {
      await meanwhile?.();
      cut();
    };
    client.on('data', (bytes) => {
      if (state === 'blocked' || happening !== null) return;
      if (planned === null || !bytes.includes(planned.when)) return void upstream.write(bytes);
      happening = planned;
      planned = null;
      if (happening.isCarriedOut) upstream.write(bytes);
      else void happen(happening);
    });
    upstream.on('data', (bytes) => {
      if (state === 'blocked') return;
      if (happening === null) return void client.write(bytes);
      // The server has carried it out when it is ready for the next one.
      if (happening.isCarriedOut && bytes.includes('Z\0\0\0\x05I', 0, 'latin1')) void happen(happening);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    become: (next) => {
      state = next;
      if (next === 'closed') for (const socket of sockets) socket.destroy();
    },
    plan: (accident) => {
      planned = accident;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
