import { checkConfig } from './check-config.ts';
import { type ConfigProblem, configError, problemsOf } from './config-problem.ts';
import { configSchema } from './config-schema.ts';
import type { ConfigWarning } from './config-warning.ts';
import { isOpenClaw } from './openclaw/is-openclaw.ts';
import { translateOpenClaw } from './openclaw/translate-openclaw.ts';
import type { VarveConfig } from './varve-config.ts';
import { warningsOfConfig } from './warnings-of-config.ts';

/** How a configuration is read. */
export interface ReadConfigOptions {
  /** What errors call it: the file's name. */
  readonly name: string;
  /** In whose words it is written. @default 'openclaw' where it has settings that only OpenClaw knows, else 'varve' */
  readonly form?: 'varve' | 'openclaw' | undefined;
  /** Variables that a file of OpenClaw may name, as `${BASE_URL}`. @default none */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A configuration that holds together. */
export interface CheckedConfig {
  readonly config: VarveConfig;
  readonly warnings: readonly ConfigWarning[];
  readonly form: 'varve' | 'openclaw';
  /** Where a setting of `config` stands in the file: another place in a file that was translated. */
  originOf(path: string): string;
}

/**
 * Checks what a configuration file holds, strictly: a setting that does not exist is an error. A file of OpenClaw is
 * translated first, and what is read otherwise than there is a warning. Paths stay as they are written. Pure.
 *
 * @throws VARVE_CONFIG_INVALID  with all problems in `details.problems`.
 */
export function readConfig(raw: unknown, { name, form, env }: ReadConfigOptions): CheckedConfig {
  const isForeign = form === undefined ? isOpenClaw(raw) : form === 'openclaw';
  const { given, warnings, originOf } = isForeign ? translateOpenClaw(raw, { env }) : ownWords(raw);
  const parsed = configSchema.safeParse(given);
  const problems = parsed.success ? checkConfig(parsed.data) : problemsOf(parsed.error, given);
  if (!parsed.success || problems.length > 0) {
    throw configError(
      problems.map((problem): ConfigProblem => ({ ...problem, path: originOf(problem.path) })),
      { name, form: isForeign ? 'openclaw' : 'varve' },
    );
  }
  const own = warningsOfConfig(parsed.data).map(({ path, text }) => ({ path: originOf(path), text }));
  return { config: parsed.data, warnings: [...warnings, ...own], form: isForeign ? 'openclaw' : 'varve', originOf };
}

function ownWords(raw: unknown): ReturnType<typeof translateOpenClaw> {
  return { given: raw, warnings: [], originOf: (path) => path };
}
