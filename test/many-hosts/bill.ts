/** A call of the model, as who is paid for it knows it. */
export interface PaidCall {
  readonly sessionId: string;
  /** The tasks whose messages had no answer yet. */
  readonly ids: readonly string[];
  readonly host: number;
  /** Whether its host was killed or cut off before it said that the turn was over. */
  isInterrupted: boolean;
}

/** All calls of a run. */
export class Bill {
  readonly calls: PaidCall[] = [];
  /** Calls of turns that are not over. */
  readonly #open = new Set<PaidCall>();

  pay(
    sessionId: string,
    { ids, host, isCutOff }: { readonly ids: readonly string[]; readonly host: number; readonly isCutOff: boolean },
  ): void {
    const call = { sessionId, ids, host, isInterrupted: isCutOff };
    this.calls.push(call);
    this.#open.add(call);
  }

  /** The turns of a host in a session are over: what was answered is stored. */
  settle(host: number, sessionId: string): void {
    for (const call of this.#open) if (call.host === host && call.sessionId === sessionId) this.#open.delete(call);
  }

  /** A host is killed or cut off: what is stored of its turns under way, nobody knows. */
  interrupt(host: number): void {
    for (const call of this.#open) {
      if (call.host !== host) continue;
      call.isInterrupted = true;
      this.#open.delete(call);
    }
  }
}
