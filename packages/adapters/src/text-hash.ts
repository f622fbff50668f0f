/**
 * A short fingerprint of a text: 64 bits by two runs of FNV-1a, as 14 letters and digits. The same everywhere and for
 * ever, which is what names on the wire need; no protection against somebody who looks for collisions.
 */
export function textHash(text: string): string {
  return `${fnv(text, 0x811c9dc5)}${fnv(text, 0x2f6a1b37)}`;
}

function fnv(text: string, seed: number): string {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >> 8), 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, '0');
}
