/** A map that forgets its oldest keys when it holds more than `limit`, so that no file can fill the memory. */
export interface RecentMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Makes an empty {@link RecentMap}. */
export function recentMap<Value>(limit: number): RecentMap<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= limit) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        return;
      }
    },
  };
}
