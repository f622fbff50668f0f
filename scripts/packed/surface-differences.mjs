/**
 * What differs between two surfaces, declaration by declaration: the name of each that has changed, come or gone, then its
 * lines, each with its sign.
 *
 * @param {string} before @param {string} after @returns {readonly string[]}
 */
export function surfaceDifferences(before, after) {
  const [old, now] = [declarationsOf(before), declarationsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const lines = lineDifferences(old.get(name) ?? [], now.get(name) ?? []);
    return lines.length === 0 ? [] : [name, ...lines];
  });
}

/** The lines of every declaration, by entry point and name; those of overloads are together. @param {string} text */
function declarationsOf(text) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  let entry = '';
  /** @type {string[]} */
  let lines = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('// ')) entry = line.slice('// '.length);
    else if (line.startsWith('export ')) {
      const name = `${entry} ${nameOf(line)}`;
      lines = found.get(name) ?? [];
      found.set(name, lines);
      lines.push(line);
    } else if (line !== '') lines.push(line);
  }
  return found;
}

/** @param {string} line the first of a declaration */
function nameOf(line) {
  const [, braced, named] =
    /^export (?:\{ (\w+) \}|(?:default |declare |abstract |async )*(?:class|const|enum|function|interface|let|namespace|type) (\w+))/.exec(
      line,
    ) ?? [];
  return braced ?? named ?? line;
}

/**
 * The lines that have to go and to come, in order; no fewer would do.
 *
 * @param {readonly string[]} old @param {readonly string[]} now
 */
function lineDifferences(old, now) {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  /** How many lines the rest of both, from i and j on, have in common. @param {number} i @param {number} j */
  const restOf = (i, j) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        old[i] === now[j] ? restOf(i + 1, j + 1) + 1 : Math.max(restOf(i + 1, j), restOf(i, j + 1));
    }
  }
  /** @type {string[]} */
  const differences = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i += 1;
      j += 1;
    } else if (j === now.length || (i < old.length && restOf(i + 1, j) >= restOf(i, j + 1))) {
      differences.push(`- ${old[i]}`);
      i += 1;
    } else {
      differences.push(`+ ${now[j]}`);
      j += 1;
    }
  }
  return differences;
}
