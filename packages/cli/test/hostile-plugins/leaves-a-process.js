import { spawn } from 'node:child_process';

// Goes on in a group of its own, and keeps the pipes of this process open longer than anybody waits.
const left = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 120_000)'], {
  stdio: 'inherit',
  detached: true,
});
left.unref();
console.error(`left ${left.pid} behind`);
process.exit(3);
