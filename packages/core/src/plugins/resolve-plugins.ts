import semver from 'semver';
import { VarveError } from '../errors.ts';
import { API_VERSION } from '../version.ts';
import { type Plugin, thisCopy } from './plugin.ts';

/** A plugin list as hosts write it: nested lists are flattened, falsy values left out. */
export type PluginList = readonly (Plugin | PluginList | false | null | undefined)[];

/**
 * Checks plugins and puts them in order. The order is that of the list, moved only as far as `after`, `before` and
 * `requires` demand.
 *
 * @throws VARVE_PLUGIN_INVALID, VARVE_PLUGIN_API, VARVE_CORE_DUPLICATE, VARVE_PLUGIN_DUPLICATE, VARVE_PLUGIN_MISSING,
 *   VARVE_PLUGIN_CYCLE
 */
export function resolvePlugins(list: PluginList): readonly Plugin[] {
  const plugins = flatten(list);
  for (const [index, plugin] of plugins.entries()) {
    checkIdentity(plugin, index + 1);
    refuseReserved(plugin.name, 'A plugin');
    checkApiVersion(plugin);
    checkCopy(plugin);
  }
  checkNames(plugins);
  return orderPlugins(plugins);
}

/** The options of a plugin after its schema. @throws VARVE_PLUGIN_OPTIONS  with every path that is wrong. */
export async function parsePluginOptions(plugin: Plugin): Promise<unknown> {
  const result = await plugin.options['~standard'].validate(plugin.given);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ path = [], message }) => `${path.map(String).join('.') || '(root)'}: ${message}`);
  throw new VarveError('VARVE_PLUGIN_OPTIONS', `Options of plugin "${plugin.name}": ${issues.join('; ')}.`, {
    fix: `Correct the options of "${plugin.name}" where it is put into the plugins array.`,
    details: { plugin: plugin.name, issues },
  });
}

function flatten(list: PluginList): readonly Plugin[] {
  return list.flatMap((entry): readonly Plugin[] => {
    if (Array.isArray(entry)) return flatten(entry as PluginList);
    return entry === false || entry === null || entry === undefined ? [] : [entry as Plugin];
  });
}

function checkIdentity(plugin: unknown, position: number): asserts plugin is Plugin {
  const value = `Value ${position} of the plugins array`;
  if (typeof plugin === 'function') {
    throw new VarveError('VARVE_PLUGIN_INVALID', `${value} is a function, where a plugin should stand.`, {
      fix: 'Call it with its options: plugins: [ttlPruning()] instead of plugins: [ttlPruning].',
    });
  }
  const { name, version, apiVersion, apply, options } = (plugin ?? {}) as Partial<Plugin>;
  const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';
  const present = {
    name: isText(name),
    version: isText(version),
    apiVersion: isText(apiVersion),
    options: typeof options?.['~standard']?.validate === 'function',
    apply: typeof apply === 'function',
  };
  const missing = Object.entries(present).flatMap(([field, isPresent]) => (isPresent ? [] : [field]));
  if (missing.length === 0) return;
  const called = isText(name) ? `, "${String(name)}",` : '';
  throw new VarveError(
    'VARVE_PLUGIN_INVALID',
    `${value}${called} is not a plugin: it has no ${missing.join(', no ')}.`,
    {
      fix: 'Make plugins with definePlugin({ name, version, apiVersion, options, apply }).',
    },
  );
}

/** Owners of records that are no plugins: what they store must not be mistaken for a plugin's. */
const reservedNames: ReadonlySet<string> = new Set(['core', 'host', 'sessions', 'transcripts']);

/** Refuses a name under which others store records. @throws VARVE_PLUGIN_INVALID */
export function refuseReserved(name: string, what: string): void {
  if (!reservedNames.has(name)) return;
  throw new VarveError('VARVE_PLUGIN_INVALID', `${what} may not be named "${name}": core keeps that name.`, {
    fix: `Choose another name, such as "acme/${name}".`,
  });
}

/** A plugin may need an equal or older minor of the API than the host provides, never a newer one; majors must match. */
function checkApiVersion(plugin: Plugin): void {
  const { name, version, apiVersion } = plugin;
  const range = semver.validRange(apiVersion);
  if (range === null) {
    throw new VarveError(
      'VARVE_PLUGIN_API',
      `Plugin "${name}@${version}": its apiVersion, "${apiVersion}", is no range.`,
      {
        fix: 'Write a semver range such as "^1.0.0". Prefixes such as `workspace:` belong into package.json alone.',
      },
    );
  }
  if (semver.satisfies(API_VERSION, range, { includePrerelease: true })) return;
  const isTooNew = !semver.gtr(API_VERSION, range);
  throw new VarveError(
    'VARVE_PLUGIN_API',
    `Plugin "${name}@${version}" needs plugin API ${apiVersion}, this host provides ${API_VERSION}.`,
    {
      fix: isTooNew ? 'Install a newer @varve/core, or an older version of the plugin.' : `Install a newer "${name}".`,
    },
  );
}

function checkCopy({ name, madeBy }: Plugin): void {
  if (madeBy === thisCopy) return;
  throw new VarveError(
    'VARVE_CORE_DUPLICATE',
    `Plugin "${name}" was made by another copy of @varve/core, whose drafts this one does not know.`,
    {
      fix: 'Make @varve/core a peer dependency of the plugin, and install one version: `npm ls @varve/core` lists them.',
    },
  );
}

function checkNames(plugins: readonly Plugin[]): void {
  const names = new Map<string, Plugin>();
  for (const plugin of plugins) {
    const { name, version } = plugin;
    const other = names.get(name);
    if (other !== undefined) {
      const message = `There are two plugins named "${name}", ${other.version} and ${version}: records and verdicts could not tell them apart.`;
      throw new VarveError('VARVE_PLUGIN_DUPLICATE', message, {
        fix: 'Remove one of them from the plugins array; put its options into the other.',
      });
    }
    names.set(name, plugin);
  }
  for (const plugin of plugins) {
    const missing = plugin.requires.find((name) => !names.has(name));
    if (missing === undefined) continue;
    throw new VarveError(
      'VARVE_PLUGIN_MISSING',
      `Plugin "${plugin.name}" requires the plugin "${missing}", which is not there.`,
      {
        fix: `Install the package that has "${missing}" and add it to the plugins array, at any place.`,
      },
    );
  }
}

function orderPlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  const earlier = new Map(plugins.map((plugin) => [plugin.name, new Set([...plugin.after, ...plugin.requires])]));
  for (const plugin of plugins) for (const name of plugin.before) earlier.get(name)?.add(plugin.name);
  const rest = [...plugins];
  const ordered: Plugin[] = [];
  while (rest.length > 0) {
    const waiting = new Set(rest.map((plugin) => plugin.name));
    const ready = rest.findIndex((plugin) => ![...(earlier.get(plugin.name) ?? [])].some((name) => waiting.has(name)));
    if (ready === -1) throw cycleError(rest, earlier);
    ordered.push(...rest.splice(ready, 1));
  }
  return ordered;
}

function cycleError(rest: readonly Plugin[], earlier: ReadonlyMap<string, ReadonlySet<string>>): VarveError {
  const waiting = new Set(rest.map((plugin) => plugin.name));
  const walked: string[] = [];
  let name = rest[0]?.name;
  while (name !== undefined && !walked.includes(name)) {
    walked.push(name);
    name = [...(earlier.get(name) ?? [])].find((other) => waiting.has(other));
  }
  const cycle = [...walked.slice(walked.indexOf(name ?? '')), name ?? ''];
  const demands = cycle
    .slice(1)
    .map((earlierName, at) => demandBetween(rest, { first: earlierName, second: cycle[at] ?? '' }));
  const message = `Plugins demand to run after each other: ${cycle.join(' → ')} (${demands.join('; ')}).`;
  return new VarveError('VARVE_PLUGIN_CYCLE', message, {
    fix: 'Remove one of these demands; `after` is enough where a plugin works without the other.',
  });
}

/** Who demands that the second plugin runs behind the first. */
function demandBetween(plugins: readonly Plugin[], { first, second }: { first: string; second: string }): string {
  const later = plugins.find(({ name }) => name === second);
  if (later?.requires.includes(first) === true) return `"${second}" requires "${first}"`;
  if (later?.after.includes(first) === true) return `"${second}" is after "${first}"`;
  return `"${first}" is before "${second}"`;
}
