import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pick, seededRandom } from '../seeded-random.ts';
import type { TextKind } from './text-kinds.ts';

const lines = 600;

/** Kinds of text that programs print, drawn with a fixed seed. `root` is the folder of the project. */
export function madeUpTexts(root: string): readonly TextKind[] {
  const random = seededRandom(20_240_601);
  const repeat = (line: (index: number) => string): string =>
    Array.from({ length: lines }, (_, index) => line(index)).join('\n');
  const digest = (index: number): Buffer => createHash('sha256').update(String(index)).digest();
  const number = (most: number): number => Math.floor(random() * most);
  const time = (index: number): string => new Date(1_717_200_000_000 + index * 1_733).toISOString();
  const level = (): string => pick(random, ['INFO', 'WARN', 'ERROR', 'DEBUG']);
  const part = (): string => pick(random, ['gateway', 'journal', 'model', 'scheduler', 'http']);
  const source = readFileSync(join(root, 'packages/core/src/message.ts'), 'utf8').split('\n');
  return [
    {
      kind: 'log lines',
      text: repeat(
        (index) =>
          `${time(index)} ${level()} [${part()}] request ${number(9_000)} took ${number(900)} ms, ${number(64)} retries`,
      ),
    },
    {
      kind: 'CSV',
      text: repeat(
        (index) => `${index},${number(1e6)},${(random() * 100).toFixed(2)},${part()},${time(index).slice(0, 10)}`,
      ),
    },
    {
      kind: 'JSON lines',
      text: repeat((index) => JSON.stringify({ id: index, at: time(index), level: level(), value: random() })),
    },
    { kind: 'hex digests', text: repeat((index) => digest(index).toString('hex')) },
    { kind: 'base64', text: repeat((index) => Buffer.concat([digest(index), digest(index + 1e6)]).toString('base64')) },
    {
      kind: 'UUIDs',
      text: repeat((index) =>
        digest(index)
          .toString('hex')
          .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5'),
      ),
    },
    {
      kind: 'source with line numbers',
      text: source.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n'),
    },
    {
      kind: 'a diff',
      text: source.map((line, index) => `${index % 7 === 3 ? '+' : index % 7 === 4 ? '-' : ' '}${line}`).join('\n'),
    },
    { kind: 'a folder listing', text: listing(join(root, 'packages')).join('\n') },
    {
      kind: 'search hits',
      text: source.map((line, index) => `packages/core/src/message.ts:${index + 1}:${line}`).join('\n'),
    },
  ];
}

function listing(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules' && name !== 'dist')
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const facts = statSync(path);
      const own = `-rw-r--r-- 1 dev dev ${String(facts.size).padStart(8)} Jun  1 12:00 ${name}`;
      return facts.isDirectory() ? [`${path}:`, ...listing(path)] : [own];
    });
}
