import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Milliseconds, VarveError } from '@varve/core';
import { lock } from 'proper-lockfile';
import { z } from 'zod';
import { mintToken, type NewToken, type TokenRecord, type TokenSource } from './token.ts';

/** The tokens of a machine, in a file that nobody else can read: JSON, hashes only. */
export interface TokenFile extends TokenSource {
  /** Makes a token and keeps what is to be kept of it. The token is told here, and never again. */
  create(about: Omit<NewToken, 'now'>): Promise<{ readonly token: string; readonly record: TokenRecord }>;
  /** Takes a token back, at once for every gateway that reads this file; `null` when there is none with that id. */
  revoke(id: string): Promise<TokenRecord | null>;
}

/** How the file is used. */
export interface TokenFileOptions {
  /** @default Date.now */
  readonly now?: (() => Milliseconds) | undefined;
}

const schema = z.strictObject({
  v: z.literal(1),
  tokens: z.array(
    z.strictObject({
      id: z.string().min(1),
      name: z.string(),
      role: z.enum(['viewer', 'client', 'owner']),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
      createdAt: z.number(),
      expiresAt: z.number().nullable(),
      revokedAt: z.number().nullable(),
    }),
  ),
});

/** A change takes milliseconds: it is soon tried again. */
const retries = { retries: 200, minTimeout: 5, maxTimeout: 100, factor: 1.3, randomize: true } as const;

/** Nobody has as many tokens. */
const mostBytes = 1_000_000;

/**
 * The tokens of a file, which is made with the first one. It is read again whenever it has changed. One that cannot be
 * read lets nobody in.
 *
 * @throws VARVE_STORE_IO  when it cannot be read or written; VARVE_CONFIG_INVALID when it holds something else.
 */
export function tokenFile(path: string, { now = Date.now }: TokenFileOptions = {}): TokenFile {
  let known: { readonly stamp: string; readonly records: readonly TokenRecord[] } | null = null;
  const records = async (): Promise<readonly TokenRecord[]> => {
    const stamp = await stampOf(path);
    if (stamp === null) return [];
    if (known?.stamp !== stamp) known = { stamp, records: await readTokens(path) };
    return known.records;
  };
  const change = async (edit: (before: readonly TokenRecord[]) => readonly TokenRecord[]): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const unlock = await lock(path, { realpath: false, retries });
    try {
      const before = (await stampOf(path)) === null ? [] : await readTokens(path);
      await writeWhole(path, `${JSON.stringify({ v: 1, tokens: edit(before) }, null, 2)}\n`);
    } finally {
      await unlock();
    }
  };
  return {
    records,
    create: async (about) => {
      const made = mintToken({ ...about, now: now() });
      await change((before) => [...before, made.record]);
      return made;
    },
    revoke: async (id) => {
      let revoked: TokenRecord | null = null;
      await change((before) =>
        before.map((record) => {
          if (record.id !== id) return record;
          revoked = { ...record, revokedAt: record.revokedAt ?? now() };
          return revoked;
        }),
      );
      return revoked;
    },
  };
}

/** Changes with every change of the file; `null` where there is none. */
async function stampOf(path: string): Promise<string | null> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true });
    return `${ino}:${mtimeNs}:${size}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unreadable(path, error);
  }
}

async function readTokens(path: string): Promise<readonly TokenRecord[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (text.length <= mostBytes) {
    const { data } = schema.safeParse(jsonOf(text));
    if (data !== undefined) return data.tokens;
  }
  throw new VarveError('VARVE_CONFIG_INVALID', `"${path}" does not hold tokens of a gateway.`, {
    fix: 'Move the file away, and make tokens with varve token create.',
    details: { path },
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whole or not at all, and for the owner of the process alone. */
async function writeWhole(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  try {
    const file = await open(beside, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(beside, 0o600);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw new VarveError('VARVE_STORE_IO', `"${path}" cannot be written: ${codeOf(error)}.`, {
      fix: 'Make room on the disk, and check the permissions of the folder.',
      cause: error,
    });
  }
}

function unreadable(path: string, error: unknown): VarveError {
  return new VarveError('VARVE_STORE_IO', `"${path}" cannot be read: ${codeOf(error)}.`, {
    fix: 'Check the permissions of the file.',
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
