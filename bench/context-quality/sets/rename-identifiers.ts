import { seededRandom } from '../../seeded-random.ts';
import { placesOfIdentifiers } from '../judge/identifiers.ts';
import { makeTurn, type Trajectory } from './trajectory.ts';

/** Words of identifiers that are grammar, not names. */
const grammar = new Set(['http', 'https', 'www', 'com', 'org', 'net']);
/** Dates are left to shifting; a version is not told from them by its parts. */
const keptKinds = new Set(['date', 'version']);
const extension = /\.[a-z0-9]{1,5}$/i;
/** Words and numbers inside a name: `loadUrl_2` has three. */
const pieces = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
/** Shorter pieces stay: there are too few of them. */
const shortestWord = 3;

/**
 * The same conversation with other names. The words inside its identifiers change places with others of the same length,
 * everywhere in the same way, and numbers become others; so texts stay as long and as likely as they were. What remembers
 * names by heart gains nothing then. Prose keeps its words.
 */
export function renameIdentifiers(trajectory: Trajectory, seed: number): Trajectory {
  const rename = createRenamer(trajectory, seed);
  const turns = trajectory.turns.map((turn) => {
    const calls = turn.calls.map(({ id, name, input }) => ({ id, name, input: renamedJson(input, rename) }));
    return makeTurn(turn.role, rename(turn.text), { ...turn, calls });
  });
  const questions = trajectory.questions.map((question) => ({
    ...question,
    text: rename(question.text),
    evidence: question.evidence.map(rename),
    gold: question.gold.map(rename),
  }));
  const compactions = trajectory.compactions.map((one) => ({ ...one, summary: rename(one.summary) }));
  return { ...trajectory, turns, questions, compactions };
}

type Rename = (text: string) => string;

function renamedJson(value: unknown, rename: Rename): unknown {
  if (typeof value === 'string') return rename(value);
  if (Array.isArray(value)) return value.map((item) => renamedJson(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamedJson(item, rename)]));
}

function createRenamer({ turns }: Trajectory, seed: number): Rename {
  const random = seededRandom(seed);
  const words = exchangedWords(
    turns.flatMap(({ body }) => spansOf(body).flatMap(({ from, to }) => piecesOf(body.slice(from, to)))),
    random,
  );
  const numbers = new Map<string, string>();
  const taken = new Set<string>();
  const numberFor = (digits: string): string => {
    const known = numbers.get(digits);
    if (known !== undefined) return known;
    let made = otherDigits(digits, random);
    // There are few short numbers: after some tries two of them share one.
    for (let attempt = 0; taken.has(made) && attempt < 20; attempt += 1) made = otherDigits(digits, random);
    numbers.set(digits, made);
    taken.add(made);
    return made;
  };
  const renamePiece = (piece: string): string => {
    if (/\d/.test(piece)) return piece.length < shortestWord ? piece : numberFor(piece);
    const other = words.get(piece.toLowerCase());
    return other === undefined ? piece : withCaseOf(piece, other);
  };
  return (text) => {
    let renamed = '';
    let end = 0;
    for (const { from, to } of spansOf(text)) {
      renamed += text.slice(end, from) + text.slice(from, to).replaceAll(pieces, renamePiece);
      end = to;
    }
    return renamed + text.slice(end);
  };
}

/** Each word with another of the same length, if there is one. */
function exchangedWords(found: readonly string[], random: () => number): ReadonlyMap<string, string> {
  const byLength = new Map<number, string[]>();
  for (const word of new Set(found)) byLength.set(word.length, [...(byLength.get(word.length) ?? []), word]);
  const exchanged = new Map<string, string>();
  for (const group of byLength.values()) {
    const order = group
      .map((word) => ({ word, place: random() }))
      .sort((left, right) => left.place - right.place)
      .map(({ word }) => word);
    for (const [index, word] of order.entries()) exchanged.set(word, order[(index + 1) % order.length] as string);
  }
  return exchanged;
}

/** Words of an identifier that may change, in small letters. */
function piecesOf(span: string): readonly string[] {
  return [...span.matchAll(pieces)]
    .map(([piece]) => piece.toLowerCase())
    .filter((piece) => piece.length >= shortestWord && !/\d/.test(piece) && !grammar.has(piece));
}

/** Where names stand, without the endings of files; names that overlap are one. */
function spansOf(text: string): readonly { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = [];
  const places = placesOfIdentifiers(text)
    .filter(({ kind }) => !keptKinds.has(kind))
    .sort((left, right) => left.from - right.from);
  for (const { from, text: found } of places) {
    const ending = extension.exec(found)?.[0] ?? '';
    const to = from + found.length - (ending.length < found.length ? ending.length : 0);
    const last = spans.at(-1);
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
    else spans.push({ from, to });
  }
  return spans;
}

function withCaseOf(piece: string, word: string): string {
  if (piece === piece.toLowerCase()) return word;
  if (piece === piece.toUpperCase()) return word.toUpperCase();
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function otherDigits(digits: string, random: () => number): string {
  return digits.replaceAll(/\d/g, (digit, index: number) =>
    String(index === 0 && digit !== '0' ? 1 + Math.floor(random() * 9) : Math.floor(random() * 10)),
  );
}
