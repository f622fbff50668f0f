import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Milliseconds } from '@varve/core';
import type { Role } from './role.ts';

/** What is kept of a token. The token itself is nowhere: only whoever was given it has it. */
export interface TokenRecord {
  /** Names the token in lists and logs; says nothing about its secret. */
  readonly id: string;
  /** Whose it is, in words. */
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly createdAt: Milliseconds;
  /** From then on it is refused; `null` for never. */
  readonly expiresAt: Milliseconds | null;
  /** When it was taken back; `null` for one that holds. */
  readonly revokedAt: Milliseconds | null;
}

/** Where a gateway learns which tokens there are. Asked for each request, so that one that is revoked is refused at once. */
export interface TokenSource {
  records(): Promise<readonly TokenRecord[]>;
}

/** Who is to have a token. */
export interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly now: Milliseconds;
  /** @default it never expires */
  readonly expiresAt?: Milliseconds | null | undefined;
}

/** Looks like a secret to scanners of repositories and logs. */
const prefix = 'vrv_';

const secretBytes = 32;
const idBytes = 6;

/** Makes a token of 256 random bits. `token` is told to whoever gets it, once; `record` is kept. */
export function mintToken({ name, role, now, expiresAt = null }: NewToken): {
  readonly token: string;
  readonly record: TokenRecord;
} {
  const token = `${prefix}${randomBytes(secretBytes).toString('base64url')}`;
  const id = randomBytes(idBytes).toString('hex');
  const hash = hashOf(token).toString('hex');
  return { token, record: { id, name, role, hash, createdAt: now, expiresAt, revokedAt: null } };
}

/**
 * The record of a token that holds now; `null` for any other text. How long it takes does not depend on which records
 * there are, nor on how much of a text is right.
 */
export function findToken(
  text: string,
  { records, now }: { readonly records: readonly TokenRecord[]; readonly now: Milliseconds },
): TokenRecord | null {
  const hash = hashOf(text);
  let found: TokenRecord | null = null;
  for (const record of records) {
    const known = Buffer.from(record.hash, 'hex');
    const isSame = known.length === hash.length && timingSafeEqual(known, hash);
    if (isSame) found = record;
  }
  return found !== null && isInForce(found, now) ? found : null;
}

/** Whether a token is neither revoked nor expired. */
export function isInForce({ revokedAt, expiresAt }: TokenRecord, now: Milliseconds): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
