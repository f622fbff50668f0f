// Draws the picture of the first page: the shipped transcript as strata, a column a request, its layers one on the other.
//
//     pnpm build && node --import tsx scripts/draw-strata.ts
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layerColours, type StrataRow, strataBlocks } from '../docs/.vitepress/theme/playground/strata-columns.ts';

const root = join(import.meta.dirname, '..');
const size = { width: 320, height: 320 };
/** How high the highest column is, of the picture. */
const highest = 0.92;

const args = ['packages/cli/bin/varve.js', 'replay', 'examples/transcripts/varve-session.jsonl', '--budget', '16k'];
const { requests }: { readonly requests: readonly StrataRow[] } = JSON.parse(
  execFileSync(process.execPath, [...args, '--json', '--plugins', 'strata'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
);
const tallest = Math.max(...requests.map(({ layers }) => sum(Object.values(layers))));
const blocks = strataBlocks(requests, { columns: requests.length, mostTokens: tallest / highest, size, gap: 0.6 });
// What is not as high as it is rounded to is not seen.
const bars = blocks
  .filter(({ height }) => height >= 0.2)
  .map(({ layer, x, y, width, height }) => {
    const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
    return `<rect ${place} fill="${layerColours[layer]}"/>`;
  });
const picture = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}">`,
  '<title>A recorded session as strata: a column a request, its layers one on the other</title>',
  `<clipPath id="frame"><rect width="${size.width}" height="${size.height}" rx="24"/></clipPath>`,
  `<g clip-path="url(#frame)"><rect width="${size.width}" height="${size.height}" fill="#2f3a4a"/>`,
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
