import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pick, seededRandom } from '../seeded-random.ts';

/** A text as long as a passage of a conversation, about 140 tokens, and a question for it. */
export interface BenchDocument {
  readonly text: string;
  /** Four words of five letters or more, or names, that stand in the text. Others may have them, too. */
  readonly question: string;
}

const root = join(import.meta.dirname, '../..');

/** Characters of a text. */
const textLength = 560;

/** Texts are cut to whole sentences of about so many words. */
const sentenceWords = 12;

/**
 * Texts drawn from a seed. Words come as often as in the documentation of this project and in its packages' own; every
 * sixth is a path, a name, a number or an id, as agents use them, of which new ones never end.
 */
export function makeDocuments(count: number, seed: number): readonly BenchDocument[] {
  const random = seededRandom(seed);
  const words = wordsOfDocumentation();
  const wordOf = (): string => (random() < 1 / 6 ? nameOf(random) : pick(random, words));
  return Array.from({ length: count }, () => {
    const used: string[] = [];
    let text = '';
    while (text.length < textLength) {
      const sentence = Array.from({ length: sentenceWords }, wordOf);
      used.push(...sentence);
      text += `${sentence.join(' ')}. `;
    }
    const telling = tellingWords(used);
    const asked = Array.from({ length: 4 }, () => pick(random, telling));
    return { text: text.trim(), question: asked.join(' ') };
  });
}

/** Words that somebody would look for: short ones are mostly those of every sentence. */
function tellingWords(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => word.length >= 5);
  return telling.length === 0 ? words : telling;
}

/** Every word of the documentation, as often as it comes. */
function wordsOfDocumentation(): readonly string[] {
  const pages = markdownBelow(join(root, 'docs')).concat(markdownBelow(join(root, 'plugins')));
  const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
  return text.match(/[A-Za-z][a-z]{1,20}/g) ?? [];
}

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !['node_modules', 'dist', 'api'].includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return markdownBelow(path);
      return entry.name.endsWith('.md') ? [path] : [];
    });
}

const parts = ['gateway', 'journal', 'billing', 'search', 'worker', 'session', 'parser', 'router'];

function nameOf(random: () => number): string {
  const number = Math.floor(random() ** 2 * 50_000);
  const part = pick(random, parts);
  switch (Math.floor(random() * 5)) {
    case 0:
      return `src/${part}/${pick(random, parts)}-${number}.ts`;
    case 1:
      return `${part}${pick(random, ['Id', 'Count', 'Limit', 'Name'])}${number % 500}`;
    case 2:
      return String(number);
    case 3:
      return `${part.toUpperCase()}-${number}`;
    default:
      return Math.floor(random() * 2 ** 32).toString(16);
  }
}
