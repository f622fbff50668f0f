/** Things that an agent has to repeat exactly: paths and file names, addresses, names in code, hashes, long numbers. */
const kinds: readonly RegExp[] = [
  /https?:\/\/[^\s"'`<>)\]}]+/g,
  /(?:[\w.@+~-]+\/)+[\w.@+-]*\w/g,
  /\b[\w-]+\.(?:[jt]sx?|mjs|cjs|py|rs|go|md|jsonl?|ya?ml|toml|exs?|heex|sh|css|html?|sql|txt|lock|env)\b/g,
  /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g,
  /\b[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b/g,
  /\b(?:[A-Z][a-z0-9]+){2,}\b/g,
  /\b[A-Za-z][a-z0-9]*(?:_[A-Za-z0-9]+)+\b/g,
  /\b\d{4,}\b/g,
];
const shortest = 5;
const longest = 200;

/** The identifiers of a text. */
export function identifiersIn(text: string): ReadonlySet<string> {
  const found = kinds.flatMap((kind) => text.match(kind) ?? []);
  return new Set(found.filter(({ length }) => length >= shortest && length <= longest));
}
