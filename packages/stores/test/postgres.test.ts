import { describeStore } from '@varve/testkit/vitest';
import { afterAll, describe, it } from 'vitest';
import { describeConnections } from './postgres/connection-suite.ts';
import { startServer } from './postgres/start-server.ts';
import { describeTables } from './postgres/tables-suite.ts';
import { testSchema } from './postgres/test-schema.ts';

// One server for all suites: it takes longer to start than most of them.
const server = await startServer();

if ('reason' in server) {
  describe('postgresStore', () => {
    it('is tested on a server', (context) => context.skip(server.reason));
  });
} else {
  const pool = server.pool();
  afterAll(() => server.stop());

  describeTables(server, pool);
  describeConnections(server, pool);
  describeStore('postgresStore', () => testSchema(pool));
}
