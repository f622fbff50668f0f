import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableCounter } from '@varve/core';
import { createCacheSimulation } from './cache-usage.ts';
import type { Call, Step, Turn } from './dialogue.ts';
import { type AssistantBlock, assistantLine, type PiLine, resultLine, sessionLine, userLine } from './pi-lines.ts';
import { type CallResult, runCall } from './run-call.ts';
import { scrub } from './scrub.ts';
import { createSessionClock } from './session-clock.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Where the files lie that the assistant writes. */
const filesFolder = join(import.meta.dirname, 'files');

/** What each tool takes, in seconds. */
const seconds = { read: 0.05, write: 0.03, edit: 0.04, bash: 1.1 } as const;

/**
 * Plays a dialogue in a working copy: runs its calls, fills in what later texts say about their outputs, and lets time
 * pass.
 *
 * @throws when a call ends otherwise than the dialogue says: then the words around it would not be true.
 */
export function play(turns: readonly Turn[], copy: WorkingCopy): readonly PiLine[] {
  const clock = createSessionClock();
  const cache = createCacheSimulation();
  const kept = new Map<string, string>();
  const lines: PiLine[] = [sessionLine(clock.now())];

  const say = (user: string): void => {
    lines.push(userLine(user, clock.now()));
    cache.add(tableCounter.countMessage({ role: 'user', content: user }));
  };
  const answer = (step: Step): void => {
    const startedAt = clock.now();
    const parts = step.map((part) => (typeof part === 'string' ? fillIn(part, kept) : prepare(part, kept)));
    const blocks = parts.map((part): AssistantBlock => {
      if (typeof part === 'string') return { type: 'text', text: part };
      return { type: 'toolCall', id: nextId(clock.random), name: part.tool, arguments: part.input };
    });
    const written = blocks.flatMap((block) => (block.type === 'text' ? block.text : [block.name, block.arguments]));
    const tokens = written.reduce<number>((sum, part) => sum + countOf(part), 0);
    const usage = cache.call(tokens, startedAt);
    clock.write(tokens);
    lines.push(assistantLine(blocks, { usage, startedAt, at: clock.now() }));
    cache.add(tokens + 4);
    parts.forEach((part, index) => {
      const block = blocks[index];
      if (typeof part === 'string' || block?.type !== 'toolCall') return;
      clock.work(part.tool === 'bash' && part.input.command?.includes('vitest') ? 4 : seconds[part.tool]);
      const result = carryOut(part, { copy, time: clock.timeOfDay() });
      for (const [name, shape] of Object.entries(part.keep ?? {})) kept.set(name, groupOf(result.text, shape));
      lines.push(resultLine(block, result, clock.now()));
      cache.add(countOf(result.text) + 4);
    });
  };
  for (const { after, meanwhile = [], user, steps } of turns) {
    if (typeof after === 'number') clock.pause(after);
    else clock.waitUntil(after);
    for (const act of meanwhile) {
      if (act === 'install') copy.install();
      else carryOut(act, { copy, time: clock.timeOfDay() });
    }
    say(fillIn(user, kept));
    for (const step of steps) answer(step);
  }
  return lines;
}

/** The call as the assistant makes it: with its values filled in, and a file's text in place of its name. */
function prepare(call: Call, kept: ReadonlyMap<string, string>): Call {
  const { file, ...rest } = call.input;
  const given = file === undefined ? rest : { ...rest, content: readFileSync(join(filesFolder, file), 'utf8') };
  const filled = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'string' ? fillIn(value, kept) : value,
  ]);
  return { ...call, input: Object.fromEntries(filled) };
}

function carryOut(call: Call, { copy, time }: { readonly copy: WorkingCopy; readonly time: string }): CallResult {
  const { text, isError } = runCall(call.tool, call.input, copy.root);
  const result = { text: scrub(text, { root: copy.root, time }), isError };
  const missing = (call.expect ?? []).filter((shape) => !shape.test(result.text));
  if (isError === (call.fails ?? false) && missing.length === 0) return result;
  const why = missing.length > 0 ? `has no ${missing.join(', ')}` : `ended ${isError ? 'in an error' : 'well'}`;
  throw new Error(
    `The call ${call.tool} ${JSON.stringify(call.input).slice(0, 300)} ${why}:\n${result.text.slice(-4_000)}`,
  );
}

function groupOf(text: string, shape: RegExp): string {
  const value = shape.exec(text)?.[1];
  if (value === undefined) throw new Error(`There is no ${shape} in:\n${text}`);
  return value;
}

function fillIn(text: string, kept: ReadonlyMap<string, string>): string {
  return text.replace(/\{\{([\w]+)\}\}/g, (_, name: string) => {
    const value = kept.get(name);
    if (value === undefined) throw new Error(`Nothing was kept as "${name}".`);
    return value;
  });
}

function countOf(part: unknown): number {
  return tableCounter.count(typeof part === 'string' ? part : JSON.stringify(part));
}

function nextId(random: () => number): string {
  const letters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  return `toolu_01${Array.from({ length: 22 }, () => letters[Math.floor(random() * letters.length)]).join('')}`;
}
