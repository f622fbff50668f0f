/** Stands before everything that a call hands out: throws when that was taken back, and knows what is being read. */
export interface ContextGuard {
  /** @throws VARVE_TAP_EXPIRED */
  check(): void;
  /** What is being read through the context: it is let go of with it. */
  readings(): Set<AsyncIterator<unknown>>;
}

const refuse = (): boolean => false;

/** Nobody changes what is behind a guard. */
export const readOnly: Record<
  'set' | 'defineProperty' | 'deleteProperty' | 'setPrototypeOf' | 'preventExtensions',
  () => boolean
> = {
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  setPrototypeOf: refuse,
  preventExtensions: refuse,
};

/** An object with the same properties behind a check: no method of the source is handed out itself. */
export function guardedView<Source extends object>(source: Source, guard: ContextGuard): Source {
  const read = (name: PropertyKey): unknown => {
    guard.check();
    return guardedValue(source, { name, guard });
  };
  // A proxy, since a view is made for each tap that looks: an object with a getter a property costs ten times as much.
  return new Proxy(source, {
    get: (_, name) => (Object.hasOwn(source, name) ? read(name) : Reflect.get(source, name)),
    getOwnPropertyDescriptor: (_, name) =>
      Object.hasOwn(source, name) ? { value: read(name), enumerable: true, configurable: true } : undefined,
    ...readOnly,
  });
}

/** The value of a property; a method asks the guard whenever it is called, and what it reads step by step at each step. */
export function guardedValue(
  source: object,
  { name, guard }: { readonly name: PropertyKey; readonly guard: ContextGuard },
): unknown {
  const value = Reflect.get(source, name) as unknown;
  if (typeof value !== 'function') return value;
  return (...values: unknown[]) => {
    guard.check();
    const result = (Reflect.get(source, name) as (...given: unknown[]) => unknown)(...values);
    return isReading(result) ? guardedReading(result, guard) : result;
  };
}

function isReading(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** A reading that asks before each step whether it may go on, and is let go of with the context. */
function guardedReading(source: AsyncIterable<unknown>, guard: ContextGuard): AsyncIterableIterator<unknown> {
  const reading = source[Symbol.asyncIterator]();
  const readings = guard.readings();
  readings.add(reading);
  const end = async (): Promise<IteratorResult<unknown>> => {
    readings.delete(reading);
    await reading.return?.();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      guard.check();
      const step = await reading.next();
      guard.check();
      if (step.done === true) readings.delete(reading);
      return step;
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
