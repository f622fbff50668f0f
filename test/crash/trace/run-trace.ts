import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTrace, type TraceCounts } from '../oracle/read-trace.ts';

const script = fileURLToPath(new URL('./appending.ts', import.meta.url));

/** How many appends the watched process makes. */
export interface TraceOptions {
  /** Appends of which each is awaited before the next. */
  readonly alone: number;
  readonly inFlight: number;
  /** How often so many are in flight. */
  readonly rounds: number;
}

/** Watches the system calls of a process that appends; a reason where that cannot be done here. */
export function runTrace({ alone, inFlight, rounds }: TraceOptions): TraceCounts | { readonly skipped: string } {
  const probe = spawnSync('strace', ['-e', 'trace=none', process.execPath, '--version']);
  if (probe.error !== undefined) return { skipped: `there is no strace: ${probe.error.message}` };
  if (probe.status !== 0) return { skipped: `strace may not watch processes here: ${probe.stderr}` };
  const folder = mkdtempSync(join(tmpdir(), 'varve-trace-'));
  try {
    const trace = join(folder, 'trace');
    const calls = 'trace=write,writev,pwritev,pwritev2,pwrite64,fdatasync,fsync';
    const node = [process.execPath, '--conditions=@varve/source', '--import', 'tsx', script];
    const counts = [alone, inFlight, rounds].map(String);
    const words = ['-f', '-y', '-s', '40', '-e', calls, '-o', trace, ...node, join(folder, 'store'), ...counts];
    const { status, stderr } = spawnSync('strace', words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the process that was watched ended with ${status}: ${stderr}`);
    return readTrace(readFileSync(trace, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
