import type { Clock } from '../../clock.ts';
import { messageOfError, throwIfAborted, VarveError } from '../../errors.ts';
import type { SessionLease } from '../../journal/session-record.ts';
import type { Milliseconds } from '../../units.ts';
import type { SessionRecordKeeper } from '../record/session-record-keeper.ts';
import type { SessionJournal } from '../session-journal.ts';
import { untilAborted } from './until-aborted.ts';

/** How long a lease holds after it was taken or renewed: so long a session waits for a host that died in a turn. */
const leaseMs: Milliseconds = 60_000;

/** A lease is renewed at each step, and so often between them: a model or a tool may take longer than a lease holds. */
const renewMs: Milliseconds = leaseMs / 3;

/** How often a turn looks whether the turn of another host has ended. */
const lookMs: Milliseconds = 250;

/** What a turn holds, so that no other host takes a turn of the same session meanwhile. */
export interface HeldTurn {
  /** Makes sure that the turn is still this host's. @throws VARVE_LEASE_LOST */
  renew(): Promise<void>;
  /** Lets other hosts take turns. Never throws. */
  giveBack(): Promise<void>;
}

/** The turns of a session among several hosts. */
export interface TurnLease {
  /**
   * Waits until no other host takes a turn, and reads what they have stored.
   *
   * @param options.signal  Ends the wait.
   * @param options.onLost  Called when another host has taken over, as this one did not renew in time.
   * @throws VARVE_ABORTED
   */
  take(options: { readonly signal: AbortSignal; onLost(error: VarveError): void }): Promise<HeldTurn>;
}

/** What leases are kept with. */
export interface TurnLeaseOptions {
  readonly journal: SessionJournal;
  readonly record: SessionRecordKeeper;
  readonly clock: Clock;
  /** Names this host, for people. */
  readonly owner: string;
  warn(text: string): void;
}

const nothingHeld: HeldTurn = { renew: async () => undefined, giveBack: async () => undefined };

/** For stores that no other host may use at the same time: costs nothing. */
export const noLease: TurnLease = { take: async () => nothingHeld };

/** Keeps leases in the session's record. The fence of each is higher than that of all before it. */
export function createTurnLease(options: TurnLeaseOptions): TurnLease {
  return {
    take: async ({ signal, onLost }) => {
      const fence = await takeFence(options, signal);
      const held = hold(options, { fence, onLost });
      try {
        await options.journal.hold(fence);
      } catch (error) {
        await held.giveBack();
        throw error;
      }
      return held;
    },
  };
}

async function takeFence({ record, clock, owner }: TurnLeaseOptions, signal: AbortSignal): Promise<number> {
  for (;;) {
    throwIfAborted(signal);
    const now = clock.now();
    let fence: number | null = null;
    const lease = await record.changeLease((known) => {
      fence = known !== null && known.untilAt > now ? null : (known?.fence ?? 0) + 1;
      return fence === null ? null : { owner, untilAt: now + leaseMs, fence };
    });
    if (fence !== null) return fence;
    const waitMs = Math.max(1, Math.min(lookMs, (lease?.untilAt ?? now) - now));
    await untilAborted(after(clock, waitMs), signal);
  }
}

function after(clock: Clock, delay: Milliseconds): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delay, resolve);
  });
}

function hold(
  { journal, record, clock, warn }: TurnLeaseOptions,
  { fence, onLost }: { readonly fence: number; onLost(error: VarveError): void },
): HeldTurn {
  let isOver = false;
  let cancel = (): void => undefined;
  const extend = (untilAt: Milliseconds): Promise<SessionLease | null> =>
    record.changeLease((known) => (known?.fence === fence ? { ...known, untilAt } : null));
  const renew = async (): Promise<void> => {
    const lease = await extend(clock.now() + leaseMs);
    if (lease?.fence === fence || isOver) return;
    isOver = true;
    const error = leaseLostError(lease);
    onLost(error);
    throw error;
  };
  const beat = (): void => {
    cancel = clock.after(renewMs, () => {
      // Where it cannot be stored, the next step or the next beat will tell.
      void renew()
        .catch(() => undefined)
        .then(() => (isOver ? undefined : beat()));
    });
  };
  beat();
  return {
    renew,
    giveBack: async () => {
      isOver = true;
      cancel();
      journal.release();
      await extend(0).catch((error: unknown) => {
        const text = `The end of a turn could not be stored; other hosts wait ${leaseMs} ms: ${messageOfError(error)}`;
        warn(text);
      });
    },
  };
}

/** What a host is told that comes too late. */
function leaseLostError(lease: SessionLease | null): VarveError {
  const by = lease === null ? 'Another host' : `Host "${lease.owner}"`;
  return new VarveError('VARVE_LEASE_LOST', `${by} has taken over the turns of the session.`, {
    fix: 'Let that host answer, or call session.turn again: it goes on with what is stored.',
    details: { lease },
  });
}
