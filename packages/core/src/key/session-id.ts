const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the id of a session, a UUID, and for no key: says which of the two somebody typed. */
export function looksLikeSessionId(text: string): boolean {
  return uuid.test(text.trim());
}
