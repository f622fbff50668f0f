import { readStream } from './read-stream.ts';

/** Which gateways there are, and what they are called with. */
export interface ClientParts {
  /** The gateways that may be asked, the one that is asked first in front. Asked anew for each attempt. */
  urls(): readonly string[];
  readonly token: string;
}

/** How a turn ended for the client. */
export interface TurnEnd {
  readonly status: string;
  readonly text: string | null;
  /** What was streamed; another than `text` where the answer was given before. */
  readonly streamed: string;
  /** Whether the client was told that its message is durable. */
  readonly isAcknowledged: boolean;
}

/** Path of a conversation. */
function pathOf(key: string): string {
  return `/v1/sessions/${encodeURIComponent(key)}`;
}

/** Says something once, and streams the answer. Throws when the connection is lost before its end. */
export async function sayOnce(
  { urls, token }: ClientParts,
  message: { readonly key: string; readonly text: string; readonly messageId: string; onStored?(): void },
): Promise<TurnEnd> {
  const { key, text, messageId, onStored } = message;
  const response = await fetch(`${urls()[0]}${pathOf(key)}/turn`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, messageId }),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  let streamed = '';
  let isAcknowledged = false;
  for await (const { event, data } of readStream(response)) {
    const told = data as { readonly text?: string; readonly status?: string };
    if (event === 'stored') {
      isAcknowledged = true;
      onStored?.();
    }
    if (event === 'delta') streamed += told.text ?? '';
    if (event === 'problem') throw new Error(JSON.stringify(data));
    if (event === 'end') return { status: String(told.status), text: told.text ?? null, streamed, isAcknowledged };
  }
  throw new Error('The stream ended before the turn did.');
}

/** A client that follows a conversation, and comes back with the id of its last event when the connection is lost. */
export interface Follower {
  /** Ids of the entries that came, in order. */
  readonly entryIds: readonly string[];
  /** How often it came back. */
  readonly returns: () => number;
  stop(): Promise<void>;
}

/** Follows a conversation that has begun from its first entry on. */
export function follow({ urls, token }: ClientParts, key: string): Follower {
  const stopping = new AbortController();
  const entryIds: string[] = [];
  let lastId: string | null = null;
  let returns = -1;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const headers = {
          authorization: `Bearer ${token}`,
          ...(lastId === null ? {} : { 'last-event-id': lastId }),
        };
        const query = lastId === null ? '?after=0' : '';
        const url = `${urls()[0]}${pathOf(key)}/events${query}`;
        const response = await fetch(url, { headers, signal: stopping.signal });
        if (response.status !== 200) throw new Error(String(response.status));
        returns += 1;
        for await (const { event, id, data } of readStream(response)) {
          lastId = id ?? lastId;
          if (event === 'entry') entryIds.push((data as { readonly id: string }).id);
        }
      } catch {
        // Whoever is gone is asked again in a moment, or somebody else is.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const running = run();
  return {
    entryIds,
    returns: () => Math.max(0, returns),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** What is read of an entry. */
interface StoredEntry {
  readonly id: string;
  readonly type: string;
  readonly message?: { readonly role: string; readonly content: unknown };
}

/** All entries of a conversation's current generation. */
export async function entriesOf({ urls, token }: ClientParts, key: string): Promise<readonly StoredEntry[]> {
  const all: StoredEntry[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const url = `${urls()[0]}${pathOf(key)}/entries?limit=1000&after=${after}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { readonly entries: StoredEntry[]; readonly next: number | null };
    if (response.status !== 200) throw new Error(JSON.stringify(page));
    all.push(...page.entries);
    after = page.next;
  }
  return all;
}
