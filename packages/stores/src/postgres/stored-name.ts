/** Longer names are stored by their hash: an index of the server holds no row above some 2,700 bytes. */
const mostLetters = 200;

/**
 * How an id, or any other name that is looked for, stands in its column. A short one of the usual characters stands for
 * itself; every other one is stored by its hash, behind a backslash, with which no name that stands for itself begins.
 * So no two names share a column's value, whatever the server does not store or an index does not hold.
 */
export async function storedName(name: string): Promise<string> {
  return isPlain(name) ? name : hashedName(name);
}

/** {@link storedName} of several names; of usual ones without any delay. */
export async function storedNames(names: readonly string[]): Promise<readonly string[]> {
  return names.every(isPlain) ? names : Promise.all(names.map(storedName));
}

/** No U+0000, which the server refuses, and no surrogates, which stand alone or sort differently there. */
function isPlain(name: string): boolean {
  return name.length <= mostLetters && !name.startsWith('\\') && !/[\0\ud800-\udfff]/.test(name);
}

async function hashedName(name: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(name)));
  return `\\${[...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
