// Draws the picture of the first page: the shipped transcript as strata, a column a request, its layers one on the other.
//
//     pnpm build && node --import tsx scripts/draw-strata.ts
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Replay {
  readonly requests: readonly { readonly layers: Readonly<Record<string, number>> }[];
}

const root = join(import.meta.dirname, '..');
const [width, height, gap] = [320, 320, 0.6];
/** From below, with the colours of a lake bed. What a plugin looked up shines. */
const colours = { summary: '#8a6136', history: '#d9b478', notes: '#3f9e8f', live: '#f0dfba' } as const;

const args = ['packages/cli/bin/varve.js', 'replay', 'examples/transcripts/varve-session.jsonl', '--budget', '16k'];
const replay: Replay = JSON.parse(
  execFileSync(process.execPath, [...args, '--json', '--plugins', 'strata'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
);
const columns = replay.requests.map(({ layers }) => layers);
const tallest = Math.max(...columns.map((layers) => sum(Object.values(layers))));
const step = width / columns.length;
const bars = columns.flatMap((layers, column) => {
  let top = height;
  return Object.entries(colours).flatMap(([name, fill]) => {
    const tall = ((layers[name] ?? 0) / tallest) * height * 0.92;
    top -= tall;
    const place = `x="${round(column * step)}" y="${round(top)}" width="${round(step - gap)}" height="${round(tall)}"`;
    return tall < 0.2 ? [] : [`<rect ${place} fill="${fill}"/>`];
  });
});
const picture = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">`,
  '<title>A recorded session as strata: a column a request, its layers one on the other</title>',
  `<clipPath id="frame"><rect width="${width}" height="${height}" rx="24"/></clipPath>`,
  `<g clip-path="url(#frame)"><rect width="${width}" height="${height}" fill="#2f3a4a"/>`,
  ...bars,
  '</g></svg>',
  '',
];
writeFileSync(join(root, 'docs/public/strata.svg'), picture.join('\n'));

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
