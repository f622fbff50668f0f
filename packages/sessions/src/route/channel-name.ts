/** The name of a channel as records, keys and what leaves have it: the case of its letters says nothing. */
export function channelName(name: string): string {
  return name.toLowerCase();
}

/** What is said of a channel, and the name under which it is said; `null` for nothing. `null` stands for no channel. */
export function entryOfChannel<Value>(
  all: Readonly<Record<string, Value>> | undefined,
  channel: string | null,
): { readonly name: string; readonly value: Value } | null {
  if (channel === null) return null;
  const wanted = channelName(channel);
  const found = Object.entries(all ?? {}).find(([name]) => channelName(name) === wanted);
  return found === undefined ? null : { name: found[0], value: found[1] };
}
