import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call } from './dialogue.ts';

/** What a tool gave back. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Longest output of a command that an agent is shown, in characters; the end of it counts. */
const maxOutput = 48_000;

/** Runs one tool call in a working copy. The input is the one that the transcript shows. */
export function runCall(tool: Call['tool'], input: Call['input'], root: string): CallResult {
  if (tool === 'bash') return runCommand(String(input['command']), root);
  const path = join(root, String(input['path']));
  try {
    if (tool === 'read') return succeeded(linesOf(readFileSync(path, 'utf8'), input));
    if (tool === 'write') return writeText(path, input);
    return replaceText(path, input);
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isError: true };
  }
}

function succeeded(text: string): CallResult {
  return { text, isError: false };
}

function linesOf(text: string, { offset = 1, limit = 2_000 }: Call['input']): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const from = Number(offset) - 1;
  const shown = lines.slice(from, from + Number(limit));
  const next = from + shown.length;
  const more = next < lines.length ? `\n\n[${lines.length - next} more lines. Use offset=${next + 1} to continue.]` : '';
  return shown.join('\n') + more;
}

function writeText(path: string, { path: name, content }: Call['input']): CallResult {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, String(content));
  return succeeded(`Wrote ${Buffer.byteLength(String(content))} bytes to ${name}.`);
}

function replaceText(path: string, { path: name, oldText, newText }: Call['input']): CallResult {
  const before = readFileSync(path, 'utf8');
  const pieces = before.split(String(oldText));
  if (pieces.length !== 2) {
    return { text: `The text stands ${pieces.length - 1} times in ${name}; it must stand there once.`, isError: true };
  }
  writeFileSync(path, pieces.join(String(newText)));
  const diff = spawnSync('diff', ['-U2', '-', path], { input: before, encoding: 'utf8' }).stdout;
  return succeeded(`Edited ${name}:\n${diff.split('\n').slice(2).join('\n')}`.trimEnd());
}

function runCommand(command: string, root: string): CallResult {
  const binaries = [join(root, 'node_modules/.bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  const environment = { PATH: binaries.join(':'), HOME: root, TMPDIR: dirname(root), TZ: 'UTC', LC_ALL: 'C.UTF-8' };
  const { stdout, status } = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], {
    cwd: root,
    env: { ...environment, NO_COLOR: '1', COLUMNS: '120' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 300_000,
  });
  const output = stdout.trimEnd().slice(-maxOutput) || '(no output)';
  if (status === 0) return succeeded(output);
  return { text: `${output}\n\nThe command exited with code ${status ?? 'none'}.`, isError: true };
}
