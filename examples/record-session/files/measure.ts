import { readdirSync, readFileSync } from 'node:fs';
import { estimateTokens, heuristicCounter } from '@varve/core';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const o200k = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules') && !name.includes('estimator-table'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

const groups = {
  'core sources': filesUnder('packages/core/src', '.ts'),
  'core tests': filesUnder('packages/core/test', '.ts'),
  'adapter sources': filesUnder('packages/adapters/src', '.ts'),
  documentation: filesUnder('docs', '.md'),
  'JSON files': filesUnder('packages', '.json'),
};

console.log('group            files  characters   o200k  estimate  error   rule of thumb  error');
for (const [name, files] of Object.entries(groups)) {
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const sum = (count: (text: string) => number) => texts.reduce((total, text) => total + count(text), 0);
  const exact = sum(o200k);
  const errorOf = (tokens: number) => `${(((tokens - exact) / exact) * 100).toFixed(1)} %`.padStart(8);
  const [estimate, thumb] = [sum(estimateTokens), sum((text) => heuristicCounter.count(text))];
  const figures = [files.length, sum((text) => text.length), exact, estimate].map((figure, index) =>
    figure.toLocaleString('en').padStart([6, 12, 8, 10][index] ?? 0),
  );
  console.log(
    `${name.padEnd(16)}${figures.join('')}${errorOf(estimate)}${thumb.toLocaleString('en').padStart(15)}${errorOf(thumb)}`,
  );
}

const perFile = filesUnder('packages/core/src', '.ts').map((file) => {
  const text = readFileSync(file, 'utf8');
  return { file, error: (estimateTokens(text) - o200k(text)) / o200k(text) };
});
perFile.sort((a, b) => a.error - b.error);
const worst = [...perFile.slice(0, 3), ...perFile.slice(-3)];
console.log('\nworst files of core:');
for (const { file, error } of worst) console.log(`${(error * 100).toFixed(1).padStart(6)} %  ${file}`);
