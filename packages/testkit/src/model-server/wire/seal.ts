import { createHash } from 'node:crypto';

const prefix = 'varve-seal-';

/** A fingerprint of a text: hexadecimal, of the length asked for. */
export function fingerprint(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** What proves that a text came from the server. */
export function sealOf(text: string): string {
  return `${prefix}${fingerprint(text, 40)}`;
}

/** True for a seal of the server that does not belong to the text. Seals that others made are not judged. */
export function isBrokenSeal(seal: string, text: string): boolean {
  return seal.startsWith(prefix) && seal !== sealOf(text);
}
