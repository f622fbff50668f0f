import { builtinModules } from 'node:module';
import { pluginNames } from '../../replay/plugin-catalogue.ts';
import { usage } from '../../terminal/parse-options.ts';

/** What can be begun. */
export type ScaffoldKind = 'plugin' | 'engine' | 'store';

/** The names of what is begun. */
export interface ScaffoldName {
  /** Name of the package: `@acme/varve-notes`. */
  readonly packageName: string;
  /** Name of the plugin, or id of the engine: `acme/notes`. */
  readonly partName: string;
  /** What it is in code: `notesPlugin`. */
  readonly identifier: string;
  /** The folder that it is made in, if nobody names another: `varve-notes`. */
  readonly folder: string;
}

const mostChars = 214;
const packagePattern = /^(?:@([a-z0-9][a-z0-9._-]*)\/)?([a-z0-9][a-z0-9._-]*)$/;
const takenByNpm: ReadonlySet<string> = new Set([...builtinModules, 'node_modules', 'favicon.ico']);
/** Names that core keeps, and those of plugins that come with the command line. */
const takenByVarve: ReadonlySet<string> = new Set([
  'core',
  'host',
  'sessions',
  'transcripts',
  'legacy',
  ...pluginNames,
]);

/**
 * Reads the name of a package, and makes all other names out of it.
 *
 * @throws VARVE_USAGE  for a name that npm does not take, or that something else has.
 */
export function scaffoldName(name: string, kind: ScaffoldKind): ScaffoldName {
  const [, scope, own] = packagePattern.exec(name) ?? [];
  if (own === undefined || name.length > mostChars) {
    throw usage(
      `"${name}" is no name of a package.`,
      `Use at most ${mostChars} of: small letters, digits, "-", "." and "_", as in varve-notes or @acme/varve-notes.`,
    );
  }
  if (scope === undefined && takenByNpm.has(own)) {
    throw usage(`npm does not take a package named "${name}".`, `Choose another name, such as varve-${own}.`);
  }
  const base = words(own).replace(/^varve-(?:plugin-|engine-|store-)?(?=.)/, '');
  if (base === '') throw usage(`"${name}" has no word in it.`, 'Choose a name such as varve-notes.');
  if (kind !== 'store' && scope === undefined && takenByVarve.has(base)) {
    throw usage(`A ${kind} named "${base}" is there already.`, `Put a name of yours in front: @acme/${own}.`);
  }
  return {
    packageName: name,
    partName: scope === undefined ? base : `${words(scope)}/${base}`,
    identifier: identifierOf(base, kind),
    folder: own,
  };
}

/** Small letters and digits with a `-` between them. */
function words(text: string): string {
  return text.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
}

/** Ends with the kind, so that it is never a word of the language; begins with it where the name begins with a digit. */
function identifierOf(base: string, kind: ScaffoldKind): string {
  const parts = /^\d/.test(base) ? [kind, ...base.split('-')] : [...base.split('-'), kind];
  return parts.map((part, index) => (index === 0 ? part : part.charAt(0).toUpperCase() + part.slice(1))).join('');
}
