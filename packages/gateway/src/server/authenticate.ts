import { VarveError } from '@varve/core';
import { type Access, type Caller, nobody } from '../route/route.ts';
import { allowsRole } from '../tokens/role.ts';
import { findToken, type TokenSource } from '../tokens/token.ts';

/** A longer header holds no token of ours, and is not hashed. */
const longestHeader = 512;

/**
 * Who calls with a header `Authorization: Bearer …`. Tokens in addresses or cookies are not looked at: they end up in logs,
 * and browsers send them by themselves.
 *
 * @throws VARVE_TOKEN_INVALID  without a token that holds; VARVE_TOKEN_ROLE for one that may not call the route.
 */
export async function authenticate(
  header: string | undefined,
  { access, tokens, now }: { readonly access: Access; readonly tokens: TokenSource; readonly now: number },
): Promise<Caller> {
  if (access === 'open') return nobody;
  const token = /^Bearer ([\w-]+)$/i.exec((header ?? '').slice(0, longestHeader))?.[1];
  const record = token === undefined ? null : findToken(token, { records: await tokens.records(), now });
  if (record === null) {
    throw new VarveError('VARVE_TOKEN_INVALID', 'There is no token in the request, or one that does not hold.', {
      fix: 'Send the header Authorization: Bearer <token>; varve token create makes one.',
    });
  }
  const { id: tokenId, name, role, expiresAt } = record;
  if (!allowsRole(role, access)) {
    throw new VarveError('VARVE_TOKEN_ROLE', `The token has the role ${role}, and this takes ${access}.`, {
      fix: `Use a token of the role ${access}.`,
      details: { role, access },
    });
  }
  return { tokenId, name, role, expiresAt };
}
