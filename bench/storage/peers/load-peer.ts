import type { MissingPeer } from '../../measured/comparison-row.ts';

/** A peer, or why there is none. */
export type LoadedPeer<Peer> =
  | { readonly peer: Peer; readonly missing: null }
  | { readonly peer: null; readonly missing: MissingPeer };

/** Loads a peer; one that cannot be loaded here is named, and what is measured goes on without it. */
export async function loadPeer<Peer>(name: string, load: () => Peer | Promise<Peer>): Promise<LoadedPeer<Peer>> {
  try {
    return { peer: await load(), missing: null };
  } catch (error) {
    const why = `it cannot be loaded: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`;
    return { peer: null, missing: { name, why } };
  }
}
