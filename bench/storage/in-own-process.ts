import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Runs a file of this folder in a process of its own, and gives what it sends. @throws when it ends without sending. */
export function inOwnProcess<Sent>(file: string, parameters: readonly string[]): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, file), parameters, { execArgv: [...process.execArgv, '--expose-gc'] });
    let sent: { readonly value: Sent } | null = null;
    child.on('message', (value) => {
      sent = { value: value as Sent };
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (sent === null) reject(new Error(`${file} ended with code ${code}.`));
      else resolve(sent.value);
    });
  });
}
