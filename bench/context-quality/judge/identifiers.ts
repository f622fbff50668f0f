/** What an agent must copy exactly, by kind; earlier kinds win where two match the same text. */
const kinds: readonly (readonly [string, RegExp])[] = [
  ['url', /https?:\/\/[^\s"'`<>)\]}\\,]+[^\s"'`<>)\]}\\,.;:!?]/g],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['path', /(?<![\w/.@-])(?:~|\.{1,2}|@[\w-]+)?\/?(?:[\w.@+-]+\/)+[\w.@+-]*[\w-]/g],
  [
    'file',
    /(?<![\w/.-])[\w-]+(?:\.[\w-]+)*\.(?:tsx?|jsx?|mjs|cjs|py|pyi|rs|go|md|mdx|jsonl?|ya?ml|toml|exs?|heex|sh|s?css|html?|cc?|cpp|h|hpp|java|kt|rb|php|sql|txt|lock|cfg|ini|rst|env|xml|csv|png|svg|conf|log|diff|patch)\b(?![\w/])/g,
  ],
  ['hash', /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g],
  ['date', /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?/g],
  ['version', /\bv?\d+\.\d+\.\d+(?:[-.][\w.]+)?\b/g],
  ['code', /\b[A-Z]{2,}[-_]?\d{2,}[A-Z0-9]*\b|\b[a-z]+_[a-z]+_\d{3,}\b|\b[a-z]{3,}-[a-z0-9]{2,4}\.\d+\b|#\d{2,}\b/g],
  ['booking', /\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6}\b/g],
  ['number', /(?<![\w.])\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?\b|(?<![\w.])\$?\d+\.\d{2}\b|(?<![\w.])\d{4,}\b/g],
  ['constant', /\b[A-Z][A-Z0-9]*_[A-Z0-9_]{2,}\b/g],
  [
    'symbol',
    /\b[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b_{0,2}[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g,
  ],
];

/** A place in a text where an identifier stands. */
export interface IdentifierPlace {
  readonly kind: string;
  readonly from: number;
  readonly text: string;
}

/** Identifiers of a text, each once, in the order of the kinds. */
export function identifiersOf(text: string): ReadonlySet<string> {
  return new Set(placesOfIdentifiers(text).map((place) => place.text));
}

/** Every place of every identifier. Places of different kinds may overlap. */
export function placesOfIdentifiers(text: string): readonly IdentifierPlace[] {
  return kinds.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].flatMap((match) =>
      isIdentifier(kind, match[0]) ? [{ kind, from: match.index, text: match[0] }] : [],
    ),
  );
}

function isIdentifier(kind: string, text: string): boolean {
  if (text.length < 4 || text.length > 200) return false;
  if (kind === 'symbol') return text.length >= 6;
  if (kind === 'path') return /[a-z]/i.test(text);
  return kind !== 'number' || !/^(19|20)\d\d$/.test(text);
}
