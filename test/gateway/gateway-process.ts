import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a worker is told to serve. */
export interface ServeJob {
  readonly kind: 'gateway' | 'proxy' | 'model';
  /** Where the model answers, for a gateway and a proxy. */
  readonly modelUrl?: string;
  /** Folder of the files; without one, the sessions are in the database. */
  readonly root?: string;
  readonly database?: { readonly connection: Readonly<Record<string, unknown>>; readonly schema: string };
  /** The one token, of an owner. */
  readonly token?: string;
  /** Time goes by so much faster for the gateway: leases of the dead end sooner. */
  readonly clock?: { readonly from: number; readonly speed: number };
  readonly drainMs?: number;
  /** Pieces of an answer, and milliseconds from one to the next. */
  readonly pieces?: number;
  readonly pieceMs?: number;
}

/** What a worker has used so far. */
export interface Used {
  /** Microseconds of processor time. */
  readonly cpu: number;
  readonly rss: number;
  readonly heap: number;
}

/** A process that serves. */
export interface GatewayProcess {
  readonly url: string;
  used(): Promise<Used>;
  /** Lets all conversations sleep, and says what is used then. */
  rested(): Promise<Used>;
  /** Ends it with a signal; resolves to its exit code, `null` after a kill. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

const worker = fileURLToPath(new URL('./gateway-worker.ts', import.meta.url));

/** Starts a worker, and waits until it serves. */
export async function startProcess(job: ServeJob): Promise<GatewayProcess> {
  const child = fork(worker, [JSON.stringify(job)], {
    execArgv: ['--conditions=@varve/source', '--import', 'tsx', '--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const failed = exited.then(([code]) => {
    throw new Error(`A ${job.kind} ended with ${code} before it served.`);
  });
  const url = (await Promise.race([said(child, 'url'), failed])) as string;
  failed.catch(() => undefined);
  return {
    url,
    used: () => asked(child, 'used'),
    rested: () => asked(child, 'rested'),
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

async function asked(child: ChildProcess, what: string): Promise<Used> {
  const answer = said(child, what);
  child.send(what);
  return (await answer) as Used;
}

async function said(child: ChildProcess, name: string): Promise<unknown> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [Readonly<Record<string, unknown>>];
    if (Object.hasOwn(message, name)) return message[name];
  }
}
