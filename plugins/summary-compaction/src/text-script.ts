/** Writing systems that tell languages apart; Latin letters alone do not. */
const scripts = {
  Latin: /\p{Script=Latin}/gu,
  Kana: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  Han: /\p{Script=Han}/gu,
  Hangul: /\p{Script=Hangul}/gu,
  Cyrillic: /\p{Script=Cyrillic}/gu,
  Greek: /\p{Script=Greek}/gu,
  Arabic: /\p{Script=Arabic}/gu,
  Hebrew: /\p{Script=Hebrew}/gu,
  Devanagari: /\p{Script=Devanagari}/gu,
  Thai: /\p{Script=Thai}/gu,
} as const;

type Script = keyof typeof scripts;

/** One letter of these says about as much as a word of three Latin ones. */
const dense: ReadonlySet<Script> = new Set(['Han', 'Kana', 'Hangul']);
const denseWeight = 3;

/** Least weight at which a text says which script its writer uses. */
const leastWeight = 20;

/** The user's script, when it is not Latin, has at least this much of what the user writes: code and names are Latin. */
const leastOfUser = 1 / 3;

/** It must have at least this much of a text in the user's language. */
const leastOfText = 0.15;

/** Where the user writes in Latin letters alone, so does a text in the user's language, for at least a half. */
const mostlyLatin = 0.5;

/** True when a text is not in the language of another one, as far as the writing tells; code is left out. */
export function isInOtherScript(text: string, example: string): boolean {
  const ofUser = weightsOf(example);
  const ofText = weightsOf(text);
  if (totalOf(ofUser) < leastWeight || totalOf(ofText) < leastWeight) return false;
  const own = (Object.keys(scripts) as Script[]).find(
    (script) => script !== 'Latin' && shareOf(ofUser, script) >= leastOfUser,
  );
  if (own !== undefined) return shareOf(ofText, own) < leastOfText;
  // A few words in another script show that the user writes it, however much English code stands around them.
  const others = totalOf(ofUser) - (ofUser.get('Latin') ?? 0);
  return others < leastWeight && shareOf(ofText, 'Latin') < mostlyLatin;
}

type Weights = ReadonlyMap<Script, number>;

function weightsOf(text: string): Weights {
  const plain = text.replace(/```[\s\S]*?```|`[^`\n]*`|https?:\S+/g, ' ');
  const names = Object.keys(scripts) as Script[];
  return new Map(
    names.map((name) => [name, (plain.match(scripts[name])?.length ?? 0) * (dense.has(name) ? denseWeight : 1)]),
  );
}

function totalOf(weights: Weights): number {
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0);
}

function shareOf(weights: Weights, name: Script): number {
  return (weights.get(name) ?? 0) / Math.max(1, totalOf(weights));
}
