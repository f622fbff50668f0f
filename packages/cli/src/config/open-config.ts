import { resolve } from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { usage } from '../terminal/parse-options.ts';
import { foreignFolder } from './config-paths.ts';
import { findConfig } from './find-config.ts';
import { absolutePath, homeFolder } from './home-folder.ts';
import { type LoadedConfig, loadConfig } from './load-config.ts';

/** What the user said where the configuration and the store are. */
export interface ConfigFlags {
  /** `--config`: a file, or `none`. @default one is looked for */
  readonly config?: string | undefined;
  /** `--root`. @default what the configuration says, else VARVE_HOME, else ~/.varve */
  readonly root?: string | undefined;
}

/** The configuration of a command, and the store that it works on. */
export interface OpenedConfig {
  /** `null` where there is none: everything has its default. */
  readonly loaded: LoadedConfig | null;
  /** Folder of the store. */
  readonly root: string;
}

/** Text of `--root` in the help of every command that works on a store. */
export const rootHelp = 'folder of the store (default: VARVE_HOME, else what the configuration says, else ~/.varve)';

/** Text of `--config` in the help of every command that has it. */
export const configHelp =
  'configuration file, or none (default: varve.config.ts or .json5 in this folder, above it, or in the store)';

/**
 * Reads the configuration of a command, and decides which store it works on: what was said with `--root`, else what a file
 * says that was named, else `VARVE_HOME`, else what a file says that was found, else `~/.varve`.
 *
 * @throws VARVE_CONFIG_UNREADABLE, VARVE_CONFIG_INVALID; VARVE_USAGE for a store in the folder of another tool.
 */
export async function openConfig(flags: ConfigFlags, io: Pick<CliIo, 'env' | 'cwd'>): Promise<OpenedConfig> {
  const { VARVE_HOME = '' } = io.env;
  const home = homeFolder(io.env);
  const cwd = io.cwd ?? process.cwd();
  const usual = VARVE_HOME === '' ? absolutePath('~/.varve', { home, base: cwd }) : VARVE_HOME;
  const isNone = flags.config === 'none';
  const found = flags.config ?? findConfig({ cwd, home, root: flags.root ?? usual });
  const loaded = isNone || found === null ? null : await loadConfig(found, io);
  const said = loaded?.config.store?.root;
  const configured = flags.config === undefined && VARVE_HOME !== '' ? undefined : said;
  const root = flags.root ?? configured ?? usual;
  const imports = (loaded?.config.store?.imports ?? []).map(({ path }) => path);
  const foreign = await foreignFolder(resolve(cwd, root), { home, env: io.env, imports });
  if (foreign !== null) {
    const fix = 'Name another folder with --root or VARVE_HOME; what is there can be imported.';
    throw usage(`The store "${root}" would lie in "${foreign}", where another tool keeps its own.`, fix);
  }
  return { loaded, root };
}
