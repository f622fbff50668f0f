/** What a caller may do: a `viewer` looks, a `client` also talks, compacts and begins anew, an `owner` may do everything. */
export type Role = 'viewer' | 'client' | 'owner';

/** From the one that may do least. */
export const roles: readonly Role[] = ['viewer', 'client', 'owner'];

/** Whether a role may do what another one is needed for. */
export function allowsRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
