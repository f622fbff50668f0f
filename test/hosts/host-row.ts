/** One thing that must hold inside a host, and how it went. */
interface HostRow {
  readonly name: string;
  /** Empty when it holds. */
  readonly fault: string;
}

/** What was seen of one run of a host. */
export interface HostReport {
  readonly rows: readonly HostRow[];
  /** For people: where the nonce was found, and what was called. */
  readonly lines: readonly string[];
}

/** Rows, as they are found out. */
export interface HostRows {
  readonly rows: readonly HostRow[];
  /** Notes whether something holds. @param why  what is wrong if it does not */
  holds(name: string, isSo: boolean, why: string): void;
}

/** Begins a list of rows. */
export function hostRows(): HostRows {
  const rows: HostRow[] = [];
  return {
    rows,
    holds: (name, isSo, why) => {
      rows.push({ name, fault: isSo ? '' : why });
    },
  };
}
