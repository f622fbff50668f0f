/** A gate that a test opens when it wants an answer to go on. */
export interface Gate {
  /** Resolves when the gate is opened. */
  readonly opened: Promise<void>;
  /** Opens it; opening it again does nothing. */
  open(): void;
}

/** Makes a gate that is closed. */
export function gate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
