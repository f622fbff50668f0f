import { VarveError } from '../errors.ts';
import type { HookContext } from './hook-context.ts';

/**
 * A context that can be taken back. From then on every property but `signal`, and every method that was taken from it
 * or from its session earlier, throws `VARVE_TAP_EXPIRED`. `owner` names the tap in that error.
 */
export function revocable(
  context: HookContext,
  owner: string,
): { readonly context: HookContext; readonly revoke: () => void } {
  let expired = false;
  const check = (): void => {
    if (!expired) return;
    throw new VarveError('VARVE_TAP_EXPIRED', `The context of ${owner} was used after its tap had ended.`, {
      fix: 'Keep nothing of the context; take what you need from it while the tap runs.',
    });
  };
  const session = guarded(context.session, { check });
  return {
    context: guarded({ ...context, session }, { check, open: 'signal' }),
    revoke: () => {
      expired = true;
    },
  };
}

/** The same properties behind a check, but for the one that stays open: no method of the source is handed out itself. */
function guarded<Source extends object>(
  source: Source,
  { check, open }: { readonly check: () => void; readonly open?: keyof Source },
): Source {
  const view = {};
  for (const name of Reflect.ownKeys(source)) {
    const method = (...values: unknown[]): unknown => {
      check();
      return (Reflect.get(source, name) as (...given: unknown[]) => unknown)(...values);
    };
    const read = (): unknown => {
      if (name !== open) check();
      const value = Reflect.get(source, name) as unknown;
      return typeof value === 'function' ? method : value;
    };
    Object.defineProperty(view, name, { get: read, enumerable: true });
  }
  return Object.freeze(view) as Source;
}
