import { VarveError } from '../errors.ts';
import type { HookContext } from './hook-context.ts';

/**
 * A context that can be taken back. From then on every property but `signal`, and every method that was taken from it
 * or from its session earlier, throws `VARVE_TAP_EXPIRED`; what it was reading is let go of. `owner` names the tap in
 * that error.
 */
export function revocable(
  context: HookContext,
  owner: string,
): { readonly context: HookContext; readonly revoke: () => void } {
  let expired = false;
  const readings = new Set<AsyncIterator<unknown>>();
  const check = (): void => {
    if (!expired) return;
    throw new VarveError('VARVE_TAP_EXPIRED', `The context of ${owner} was used after its tap had ended.`, {
      fix: 'Keep nothing of the context; take what you need from it while the tap runs.',
    });
  };
  const session = guarded(context.session, { check, readings });
  return {
    context: guarded(Object.assign(context, { session }), { check, readings, open: 'signal' }),
    revoke: () => {
      expired = true;
      for (const reading of readings) void Promise.resolve(reading.return?.()).catch(() => undefined);
      readings.clear();
    },
  };
}

/** Throws when the context was taken back, and knows what is being read through it. */
interface Guard {
  readonly check: () => void;
  readonly readings: Set<AsyncIterator<unknown>>;
}

/** The same properties behind a check, but for the one that stays open: no method of the source is handed out itself. */
function guarded<Source extends object>(
  source: Source,
  { open, ...guard }: Guard & { readonly open?: keyof Source },
): Source {
  const read = (name: PropertyKey): unknown => {
    if (name !== open) guard.check();
    const value = Reflect.get(source, name) as unknown;
    return typeof value === 'function' ? guardedMethod(source, { name, guard }) : value;
  };
  // A proxy, since a context is made for each tap: an object with a getter a property costs ten times as much.
  return new Proxy(source, {
    get: (_, name) => (Object.hasOwn(source, name) ? read(name) : Reflect.get(source, name)),
    getOwnPropertyDescriptor: (_, name) =>
      Object.hasOwn(source, name) ? { value: read(name), enumerable: true, configurable: true } : undefined,
    ...readOnly,
  });
}

const refuse = (): boolean => false;
const readOnly = {
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  setPrototypeOf: refuse,
  preventExtensions: refuse,
};

function guardedMethod(
  source: object,
  { name, guard }: { readonly name: PropertyKey; readonly guard: Guard },
): (...values: unknown[]) => unknown {
  return (...values) => {
    guard.check();
    const result = (Reflect.get(source, name) as (...given: unknown[]) => unknown)(...values);
    return isReading(result) ? guardedReading(result, guard) : result;
  };
}

function isReading(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** A reading that asks before each step whether it may go on, and is let go of with the context. */
function guardedReading(source: AsyncIterable<unknown>, { check, readings }: Guard): AsyncIterableIterator<unknown> {
  const reading = source[Symbol.asyncIterator]();
  readings.add(reading);
  const end = async (): Promise<IteratorResult<unknown>> => {
    readings.delete(reading);
    await reading.return?.();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      check();
      const step = await reading.next();
      check();
      if (step.done === true) readings.delete(reading);
      return step;
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
