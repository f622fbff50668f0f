// Sub-agents, killed at every place from their end on: pnpm test:subagents
import { spawnSync } from 'node:child_process';
import process from 'node:process';

const argv = ['exec', 'vitest', 'run', '--project', 'test', 'test/subagents'];
const env = { ...process.env, VARVE_EVERY_KILL: '1' };
process.exitCode = spawnSync('pnpm', argv, { stdio: 'inherit', env }).status ?? 1;
