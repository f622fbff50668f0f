/** Stands between two names; a name that holds it has it escaped. */
const between = '\ufffe';

/** What text is looked for in: names in lower case, as far as a server stores them. */
export function searchTextOf(names: readonly (string | null)[]): string {
  return names.flatMap((name) => (name === null ? [] : [wantedText(name)])).join(between);
}

/** Text as it is looked for in a {@link searchTextOf}. */
export function wantedText(text: string): string {
  return storable(text.toLowerCase());
}

/** Replaces what a server refuses, U+0000 and surrogates that stand alone, letter by letter and always alike. */
function storable(text: string): string {
  return text.replaceAll(
    /[\0\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (unit) => {
      const code = unit.charCodeAt(0);
      if (code === 0) return '\uffff\ue000';
      if (code >= 0xfffe) return `\uffff${String.fromCharCode(0xe001 + (code - 0xfffe))}`;
      return `\uffff${String.fromCharCode(0xe100 + (code - 0xd800))}`;
    },
  );
}
