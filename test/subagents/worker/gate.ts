/** Something that is waited for. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Makes a gate that is shut. */
export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
