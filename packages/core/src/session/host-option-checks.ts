import { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { ModelRegistry } from '../model-registry.ts';
import { checkShape } from './option-checks.ts';

/** Something with methods, whatever else it has, and whether they are its own or its class's. */
function withMethods(names: readonly string[]): z.ZodType {
  return z.custom(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      names.every((name) => typeof (value as { readonly [name: string]: unknown })[name] === 'function'),
    { error: `it must be an object with ${names.join(' and ')}` },
  );
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const callable = z.custom(isFunction, { error: 'it is no function' });

const schema = z.object({
  store: withMethods(['open']).optional(),
  plugins: z.array(z.unknown()).optional(),
  engine: z.union([z.string(), callable]).optional(),
  tokens: withMethods(['count', 'countMessage']).optional(),
  clock: withMethods(['now', 'after']).optional(),
  random: callable.optional(),
});

/** Checks what a host is made of, but for its budget, models and plugins themselves. @throws VARVE_OPTION_INVALID */
export function checkHostOptions(options: unknown): void {
  checkShape(options, { schema, fix: 'Give what the type HostOptions describes, or leave the option out.' });
}

/** Checks the id of the engine that a host chose for a session. @throws VARVE_OPTION_INVALID */
export function checkEngineId(engine: string): void {
  checkShape(
    { engine },
    { schema: z.object({ engine: z.string() }), fix: 'Let the function return the id of an engine.' },
  );
}

/** Checks the id of a session. @throws VARVE_OPTION_INVALID */
export function checkSessionId(sessionId: string): void {
  const one = z.object({ sessionId: z.string().min(1) });
  checkShape({ sessionId }, { schema: one, fix: 'Give the id as a text that is not empty.' });
}

/** The registry, or `null` for none. @throws VARVE_OPTION_INVALID  for something that describes no models. */
export function requireRegistry(models: ModelRegistry | undefined): ModelRegistry | null {
  if (models === undefined) return null;
  if (typeof models === 'object' && models !== null && typeof models.describe === 'function') return models;
  throw new VarveError('VARVE_OPTION_INVALID', 'The option models is no registry: it has no method describe.', {
    fix: 'Give what modelRegistry() of @varve/adapters/model-registry returns, or { describe(model) }.',
    details: { path: 'models' },
  });
}
