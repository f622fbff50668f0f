import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call, CallInput } from './dialogue.ts';

/** What a tool gave back. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Longest output of a command that an agent is shown, in characters; the end of it counts. */
const maxOutput = 48_000;

/** Runs one tool call in a working copy. The input is the one that the transcript shows. */
export function runCall(tool: Call['tool'], input: CallInput, root: string): CallResult {
  if (tool === 'bash') return runCommand(input.command ?? '', root);
  const path = join(root, input.path ?? '');
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

function linesOf(text: string, { offset = 1, limit = 2_000 }: CallInput): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const from = offset - 1;
  const shown = lines.slice(from, from + limit);
  const next = from + shown.length;
  const more =
    next < lines.length ? `\n\n[${lines.length - next} more lines. Use offset=${next + 1} to continue.]` : '';
  return shown.join('\n') + more;
}

function writeText(path: string, { path: name, content = '' }: CallInput): CallResult {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return succeeded(`Wrote ${Buffer.byteLength(content)} bytes to ${name}.`);
}

function replaceText(path: string, { path: name, oldText = '', newText = '' }: CallInput): CallResult {
  const before = readFileSync(path, 'utf8');
  const pieces = before.split(oldText);
  if (pieces.length !== 2) {
    return { text: `The text stands ${pieces.length - 1} times in ${name}; it must stand there once.`, isError: true };
  }
  writeFileSync(path, pieces.join(newText));
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
  const whole = stdout.trimEnd() || '(no output)';
  const left = whole.length - maxOutput;
  const output = left > 0 ? `[${left} characters left out]${whole.slice(left)}` : whole;
  if (status === 0) return succeeded(output);
  return { text: `${output}\n\nThe command exited with code ${status ?? 'none'}.`, isError: true };
}
