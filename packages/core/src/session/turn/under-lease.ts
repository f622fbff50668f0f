import { linkSignals } from '../link-signals.ts';
import type { HeldTurn, TurnLease } from './turn-lease.ts';

/** How a turn keeps other hosts from taking one of the same session. */
export interface LeaseOfTurn {
  /** Aborted with `VARVE_LEASE_LOST` when another host has taken over, and with the turn. */
  readonly signal: AbortSignal;
  /** Waits for the turns of other hosts, and reads what they have stored. @throws VARVE_ABORTED */
  hold(): Promise<void>;
  /** Makes sure that the turn is still this host's. @throws VARVE_LEASE_LOST */
  renew(): Promise<void>;
}

/** Runs a turn that takes the lease when it needs it, and gives it back at its end, however that is. */
export async function underLease<Result>(
  lease: TurnLease,
  { signal }: { readonly signal: AbortSignal },
  work: (lease: LeaseOfTurn) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const linked = linkSignals([signal, lost.signal]);
  let held: HeldTurn | null = null;
  try {
    return await work({
      signal: linked.signal,
      hold: async () => {
        held = await lease.take({ signal: linked.signal, onLost: (error) => lost.abort(error) });
      },
      renew: async () => held?.renew(),
    });
  } finally {
    linked.unlink();
    await (held as HeldTurn | null)?.giveBack();
  }
}
