/** What a package's sources may import, apart from their own files. */
export interface ImportRule {
  /** Packages, by name; `*` at the end stands for any name. A subpath is named in full when it is allowed alone. */
  readonly may: readonly string[];
  /** Whether Node's own modules may be used: `false` keeps a package running in browsers and at the edge. */
  readonly node: boolean | RegExp;
}

const core = '@varve/core';
const host = '@varve/core/host';

/** Who may import whom. The table of ARCHITECTURE.md, held by a test. */
export const importTable: Readonly<Record<string, ImportRule>> = {
  'packages/core': { may: ['tapable', 'zod', 'eventemitter3', 'semver'], node: false },
  'packages/sessions': { may: [core, host, 'async-mutex', 'lru-cache', 'zod'], node: false },
  'packages/stores': { may: [core, 'proper-lockfile'], node: /\/jsonl\b/ },
  'packages/adapters': { may: [core], node: /\/transcripts\b/ },
  'packages/openclaw': {
    may: [
      core,
      'zod',
      '@varve/sessions',
      '@varve/stores',
      '@varve/adapters',
      '@varve/plugin-*',
      '@varve/preset-strata',
    ],
    node: true,
  },
  'packages/pi': {
    may: [
      core,
      'zod',
      '@varve/sessions',
      '@varve/stores',
      '@varve/adapters',
      '@varve/plugin-*',
      '@varve/preset-strata',
    ],
    node: true,
  },
  'packages/testkit': {
    may: [core, '@varve/sessions', '@varve/adapters', 'fast-check', 'vitest'],
    node: /\/(?:node(?:-test)?\.ts|model-server\/|file-system\/)/,
  },
  'packages/gateway': {
    may: [
      core,
      host,
      '@varve/sessions',
      'fastify',
      '@fastify/rate-limit',
      'pino',
      'prom-client',
      'proper-lockfile',
      'zod',
    ],
    node: true,
  },
  'packages/cli': { may: ['*'], node: true },
  'plugins/memory-flush': { may: [core, 'zod', '@varve/plugin-*'], node: true },
  'plugins/workspace-layers': { may: [core, 'zod', '@varve/plugin-*'], node: true },
  'plugins/reset-policy': { may: [core, 'zod', '@varve/plugin-*', 'temporal-polyfill'], node: false },
  'plugins/*': { may: [core, 'zod', '@varve/plugin-*'], node: false },
};

/** Packages that only one file of their importer may know, so that the rest does not depend on their habits. */
export const soleImporters: Readonly<Record<string, string>> = {
  tapable: 'packages/core/src/plugins/hooks.ts',
};

/** Limits that keep a file readable in one sitting and a function on one screen. */
export const limits = { fileLines: 400, functionLines: 60, parameters: 3 } as const;

/** File names that say nothing about what is inside. */
export const emptyNames: readonly string[] = [
  'utils',
  'util',
  'helpers',
  'helper',
  'types',
  'common',
  'misc',
  'shared',
];

/** Names that exist in Node alone: a package without `node:` imports must not lean on them either. */
export const nodeGlobals: readonly string[] = [
  'Buffer',
  'NodeJS',
  'process',
  'require',
  '__dirname',
  '__filename',
  'global',
  'setImmediate',
  'clearImmediate',
];

/** Files that may be longer than the limit, each with the reason. Only tables belong here. */
export const longFiles: Readonly<Record<string, string>> = {};
