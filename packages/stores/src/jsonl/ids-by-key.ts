/** The sessions of each key. Nearly all keys have one, whose id is kept as it is: a set for each would take more memory than its record. */
export class IdsByKey {
  readonly #ids = new Map<string, string | Set<string>>();

  /** The ids of a key, in no order. */
  of(key: string): readonly string[] {
    const ids = this.#ids.get(key);
    if (ids === undefined) return [];
    return typeof ids === 'string' ? [ids] : [...ids];
  }

  /** Notes that a session has another key; neither has to be a text. */
  move(sessionId: string, { from, to }: { readonly from: unknown; readonly to: unknown }): void {
    if (from === to) return;
    if (typeof from === 'string') this.#remove(from, sessionId);
    if (typeof to === 'string') this.#add(to, sessionId);
  }

  #add(key: string, sessionId: string): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, sessionId);
    else if (typeof ids !== 'string') ids.add(sessionId);
    else if (ids !== sessionId) this.#ids.set(key, new Set([ids, sessionId]));
  }

  #remove(key: string, sessionId: string): void {
    const ids = this.#ids.get(key);
    if (ids === sessionId) this.#ids.delete(key);
    if (ids === undefined || typeof ids === 'string') return;
    ids.delete(sessionId);
    if (ids.size === 0) this.#ids.delete(key);
  }
}
