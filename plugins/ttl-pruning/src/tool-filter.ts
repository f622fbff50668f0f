/** Which tools' results may be pruned, by globs on the tool's name: `*` stands for any run, `?` for one character. */
export interface ToolFilterOptions {
  /** Only these; an empty list allows every tool. */
  readonly allow: readonly string[];
  /** Never these, whatever `allow` says. */
  readonly deny: readonly string[];
}

/** Makes the test of a tool's name. Case does not matter. */
export function toolFilter({ allow, deny }: ToolFilterOptions): (toolName: string) => boolean {
  const [allowed, denied] = [allow, deny].map((globs) => globs.map((glob) => lettersOf(glob.trim())));
  const matchesAny = (globs: readonly Letters[] = [], name: Letters): boolean =>
    globs.some((glob) => matchesGlob(name, glob));
  return (toolName) => {
    const name = lettersOf(toolName);
    return !matchesAny(denied, name) && (allow.length === 0 || matchesAny(allowed, name));
  };
}

type Letters = readonly string[];

/** Whole characters, so that `?` never stands for half of one. */
function lettersOf(text: string): Letters {
  return [...text.toLowerCase()];
}

/** Only the last `*` is ever tried again: at most name × glob steps, whatever the glob. */
function matchesGlob(name: Letters, glob: Letters): boolean {
  let at = 0;
  let inGlob = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    if (glob[inGlob] === '*') {
      star = inGlob;
      starAt = at;
      inGlob += 1;
    } else if (inGlob < glob.length && (glob[inGlob] === '?' || glob[inGlob] === name[at])) {
      at += 1;
      inGlob += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      inGlob = star + 1;
    } else return false;
  }
  return glob.slice(inGlob).every((letter) => letter === '*');
}
