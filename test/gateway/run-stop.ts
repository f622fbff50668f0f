import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Part } from './check.ts';
import { type ClientParts, entriesOf, sayOnce } from './gateway-client.ts';
import { startProcess } from './gateway-process.ts';

const turns = 40;
const token = 'stop-token';
const keyOf = (index: number): string => `agent:main:direct:peer${index}`;

/**
 * Ends a gateway with SIGTERM in the middle of turns, once each way: with time enough for them, and with so little that they
 * are aborted. Starts it again on the same files, and sends every message again.
 */
export async function runStop(): Promise<Part> {
  const parts = [await stopOnce({ drainMs: 10_000 }), await stopOnce({ drainMs: 50 })];
  return { lines: parts.flatMap(({ lines }) => lines), checks: parts.flatMap(({ checks }) => checks) };
}

async function stopOnce({ drainMs }: { readonly drainMs: number }): Promise<Part> {
  const root = await mkdtemp(join(tmpdir(), 'varve-stop-'));
  const model = await startProcess({ kind: 'model', pieces: 30, pieceMs: 20 });
  const job = { kind: 'gateway', modelUrl: model.url, root, token } as const;
  const first = await startProcess({ ...job, drainMs });
  const faults: string[] = [];
  const acknowledged = new Set<number>();
  const statuses: Record<string, number> = {};
  try {
    let onAll = (): void => undefined;
    const half = new Promise<void>((resolve) => {
      onAll = resolve;
    });
    const said = Array.from({ length: turns }, (_, index) =>
      say({ urls: () => [first.url], token }, index, () => {
        acknowledged.add(index);
        if (acknowledged.size === turns / 2) onAll();
      }).then(
        (status) => status,
        () => 'lost',
      ),
    );
    await half;
    const code = await first.end('SIGTERM');
    if (code !== 0) faults.push(`It ended with ${code}.`);
    for (const status of await Promise.all(said)) statuses[status] = (statuses[status] ?? 0) + 1;
    const second = await startProcess(job);
    const client = { urls: () => [second.url], token };
    const missing: string[] = [];
    const again: string[] = [];
    for (const index of acknowledged) {
      const texts = await usersIn(client, index);
      if (texts.length !== 1) missing.push(`message ${index} is there ${texts.length} times`);
    }
    await Promise.all(
      Array.from({ length: turns }, async (_, index) => {
        const status = await say(client, index).catch(String);
        const texts = await usersIn(client, index);
        if (!['answered', 'duplicate'].includes(status) || texts.length !== 1) {
          again.push(`message ${index}: ${status}, ${texts.length} times`);
        }
      }),
    );
    await second.end('SIGTERM');
    const what = drainMs > 1_000 ? 'with time for turns' : 'without time for turns';
    const counts = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
    return {
      lines: [`SIGTERM ${what}: ${acknowledged.size} of ${turns} acknowledged; ${counts.join(', ')}`],
      checks: [
        { name: `SIGTERM ${what}: the process ends by itself`, faults },
        { name: `SIGTERM ${what}: no acknowledged message is lost, or stored twice`, faults: missing },
        { name: `SIGTERM ${what}: every message that is sent again is answered, once`, faults: again },
      ],
    };
  } finally {
    await first.end('SIGKILL');
    await model.end('SIGKILL');
    await rm(root, { recursive: true, force: true });
  }
}

async function say(client: ClientParts, index: number, onStored: () => void = () => undefined): Promise<string> {
  const message = { key: keyOf(index), text: `msg-${index}`, messageId: `m${index}`, onStored };
  return (await sayOnce(client, message)).status;
}

async function usersIn(client: ClientParts, index: number): Promise<readonly unknown[]> {
  const entries = await entriesOf(client, keyOf(index));
  return entries.filter(({ type, message }) => type === 'message' && message?.role === 'user');
}
