import { realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type CheckedConfig, type ConfigProblem, configError, type VarveConfig } from '@varve/sessions/config';
import type { CliIo } from '../terminal/cli-io.ts';
import { absolutePath } from './home-folder.ts';

/** Where the paths of a configuration begin. */
export interface PathPlaces {
  /** The file, for errors. */
  readonly file: string;
  readonly home: string;
  /** Folder of the file. */
  readonly base: string;
  readonly env: CliIo['env'];
}

/**
 * The configuration with absolute paths.
 *
 * @throws VARVE_CONFIG_INVALID  for a store or workspace that lies where another tool keeps its own.
 */
export async function withAbsolutePaths(
  { config, originOf }: Pick<CheckedConfig, 'config' | 'originOf'>,
  places: PathPlaces,
): Promise<VarveConfig> {
  const absolute = absolutePaths(config, places);
  const imports = (absolute.store?.imports ?? []).map(({ path }) => path);
  const written: readonly (readonly [path: string, folder: string | undefined])[] = [
    ['store.root', absolute.store?.root],
    ['global.memory.dir', absolute.global?.memory?.dir],
    ...Object.entries(absolute.agents ?? {}).map(
      ([id, { memory }]) => [`agents.${id}.memory.dir`, memory?.dir] as const,
    ),
  ];
  const problems: ConfigProblem[] = [];
  for (const [path, folder] of written) {
    if (folder === undefined) continue;
    const foreign = await foreignFolder(folder, { ...places, imports });
    if (foreign === null) continue;
    problems.push({
      path: originOf(path),
      value: JSON.stringify(folder),
      why: `It lies in "${foreign}", where another tool keeps its own: nothing is ever written there.`,
      fix: 'Name a folder of its own, such as "~/.varve".',
    });
  }
  if (problems.length > 0) throw configError(problems, { name: places.file });
  return absolute;
}

function absolutePaths(config: VarveConfig, places: PathPlaces): VarveConfig {
  const at = (path: string): string => absolutePath(path, places);
  const withDir = <Settings extends VarveConfig['global'] & object>(settings: Settings): Settings => {
    const { memory } = settings;
    return memory?.dir === undefined ? settings : { ...settings, memory: { ...memory, dir: at(memory.dir) } };
  };
  const { store, global, agents } = config;
  const { root, imports } = store ?? {};
  return {
    ...config,
    ...(store === undefined
      ? {}
      : {
          store: {
            ...(root === undefined ? {} : { root: at(root) }),
            ...(imports === undefined ? {} : { imports: imports.map((one) => ({ ...one, path: at(one.path) })) }),
          },
        }),
    ...(global === undefined ? {} : { global: withDir(global) }),
    ...(agents === undefined
      ? {}
      : { agents: Object.fromEntries(Object.entries(agents).map(([id, settings]) => [id, withDir(settings)])) }),
  };
}

/** What is known of the folders of other tools. */
export interface ForeignPlaces {
  readonly home: string;
  readonly env: CliIo['env'];
  /** Stores that are imported from; `{agentId}` stands for each agent. */
  readonly imports: readonly string[];
}

/**
 * The folder of another tool that a folder lies in, or would once it is made; `null` for none. Links are followed. A folder
 * `.openclaw` is OpenClaw's wherever it lies: it may be a copy, or somebody else's.
 */
export async function foreignFolder(folder: string, { home, env, imports }: ForeignPlaces): Promise<string | null> {
  const { OPENCLAW_STATE_DIR = '' } = env;
  const theirs = [
    join(home, '.openclaw'),
    ...(OPENCLAW_STATE_DIR === '' ? [] : [resolve(OPENCLAW_STATE_DIR)]),
    ...imports.map((path) => dirname(path)),
  ];
  const ways = [resolve(folder), await realPath(resolve(folder))];
  const copy = ways.map(openClawAbove).find((above) => above !== null);
  if (copy !== undefined) return copy;
  for (const theirFolder of theirs) {
    const names = [theirFolder, await realPath(theirFolder)];
    if (names.some((name) => ways.some((way) => liesIn(way, name)))) return theirFolder;
  }
  return null;
}

function openClawAbove(path: string): string | null {
  const parts = path.split(sep);
  const index = parts.indexOf('.openclaw');
  return index === -1 ? null : parts.slice(0, index + 1).join(sep);
}

/** `{agentId}` in the outer path stands for any one folder. */
function liesIn(path: string, outer: string): boolean {
  const parts = path.split(sep);
  return outer.split(sep).every((part, index) => part === '{agentId}' || part === parts[index]);
}

/** Where a path leads, though its end may not be there yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realPath(above), path.slice(above.length).replace(/^[\\/]/, ''));
  }
}
