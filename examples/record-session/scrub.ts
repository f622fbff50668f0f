import { homedir, hostname, userInfo } from 'node:os';
import { repositoryRoot } from './working-copy.ts';

/** Where the transcript says that the repository lies. */
export const shownRoot = '/home/dev/varve';

/** Takes out of an output what belongs to the machine of the recording, and what differs from run to run. */
export function scrub(text: string, { root, time }: { readonly root: string; readonly time: string }): string {
  const placed = text
    .replaceAll(root, shownRoot)
    .replaceAll(repositoryRoot, shownRoot)
    .replace(/(?:\.\.\/)+home\/dev\/varve\//g, '')
    .replace(/node_modules\/\.pnpm\/[^/\s]+\/node_modules\//g, 'node_modules/');
  return /^ RUN {2}v\d|^ Test Files {2}|^Checked \d+ files? in /m.test(placed)
    ? withoutDurations(placed, time)
    : placed;
}

/** Replaces how long things took by what depends on their names alone, and the time of day by the recording's own. */
function withoutDurations(text: string, time: string): string {
  const lines = text.replace(/(Start at {2})\d\d:\d\d:\d\d/g, `$1${time}`).split('\n');
  return lines
    .map((line) =>
      line
        .replace(/\b\d+(?:\.\d+)?ms\b/g, (_, at: number) => `${1 + (hashOf(line.slice(0, at)) % 40)}ms`)
        .replace(/\b\d+\.\d+s\b/g, (_, at: number) => `${(1 + (hashOf(line.slice(0, at)) % 90) / 100).toFixed(2)}s`),
    )
    .join('\n');
}

/** A number that depends on the letters of a name; digits may be counts that change. */
function hashOf(name: string): number {
  return [...name.replace(/\d/g, '')].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) % 65_521, 7);
}

/** Shapes that may not be in a transcript, whoever records it. */
const foreign: readonly RegExp[] = [/\.pnpm\//, /registry\.\w+\.\w+/, /\/tmp\//, /-----BEGIN/, /\\u001b\[/];

/** @throws when a line holds something of the machine on which it was recorded. */
export function checkIsClean(line: string): void {
  const own = [homedir(), repositoryRoot, hostname(), userInfo().username].filter((text) => text.length > 4);
  const found = [...own.filter((text) => line.includes(text)), ...foreign.filter((shape) => shape.test(line))];
  if (found.length > 0) throw new Error(`The transcript would hold ${found.join(', ')}: ${line.slice(0, 200)}`);
}
