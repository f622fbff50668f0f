/**
 * What npm runs in: nothing that pnpm hands down is read as a setting, but the registry is the one that this machine uses.
 *
 * @param {{ readonly url?: string, readonly cache?: string }} [own]  A registry for the packages of this repository alone, and
 *   a cache instead of npm's own.
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment({ url, cache } = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_(?!config_registry$)/i.test(name));
  return {
    ...Object.fromEntries(kept),
    npm_config_update_notifier: 'false',
    ...(cache === undefined ? {} : { npm_config_cache: cache }),
    ...(url === undefined ? {} : { 'npm_config_@varve:registry': url }),
  };
}
