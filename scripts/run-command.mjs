import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program to its end, and gives all that it said.
 *
 * @param {readonly string[]} words
 * @param {{ readonly cwd: string, readonly env: NodeJS.ProcessEnv }} where
 * @returns {Promise<{ code: number | null, text: string }>}
 */
export async function runCommand([program = '', ...words], { cwd, env }) {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
  }
  const [code] = await once(child, 'close');
  return { code, text: text.trim() };
}

/** A test run says more than anybody reads: its first and last lines. @param {string} text */
export function shortened(text) {
  const lines = text.split('\n');
  return lines.length <= 40
    ? text
    : [...lines.slice(0, 12), `… ${lines.length - 32} lines …`, ...lines.slice(-20)].join('\n');
}
