import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledOpenClaw } from '../openclaw-import/install-openclaw.ts';
import { compactionOf, freePort, run, saidBy, sessionOf } from '../openclaw-import/live-with-openclaw.ts';

/** Where OpenClaw lives while it is tried. */
export interface OpenClawHome {
  readonly folder: string;
  /** The folder of the plugin, built. */
  readonly plugin: string;
  readonly url: string;
}

/** A gateway of OpenClaw that runs. */
export interface OpenClawProcess {
  /** Says something in a conversation, and waits for the answer. */
  ask(text: string): Promise<string>;
  /** Compacts the conversation; gives what is printed. */
  compact(): Promise<string>;
  /** Runs another command of the command line; gives what it prints. */
  command(argv: readonly string[]): Promise<string>;
  /** Ends the gateway at once. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const agentId = 'main';

/** The conversation. */
export const openClawKey = `agent:${agentId}:main`;

const model = {
  id: 'fake-1',
  name: 'Fake',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 2_000,
};

/** Writes OpenClaw's configuration, and the plugin with the name of each call put into a file. */
export async function prepareOpenClaw({ folder, plugin, url }: OpenClawHome): Promise<void> {
  for (const one of ['state', 'work', 'home', 'tmp', 'plugin']) mkdirSync(join(folder, one), { recursive: true });
  writeFileSync(join(folder, 'work', 'notes.txt'), 'The lighthouse is at 54 degrees north.\n');
  copyFileSync(join(plugin, 'openclaw.plugin.json'), join(folder, 'plugin', 'openclaw.plugin.json'));
  const manifest = {
    name: 'varve',
    version: '0.0.0',
    type: 'module',
    main: './index.js',
    openclaw: { extensions: ['./index.js'] },
  };
  writeFileSync(join(folder, 'plugin', 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'plugin', 'index.js'), recordingPlugin(join(plugin, 'dist', 'index.js'), folder));
  const fake = { baseUrl: url, apiKey: 'none', api: 'openai-completions', models: [model] };
  const config = {
    agents: { defaults: { model: { primary: 'fake/fake-1' }, workspace: join(folder, 'work') } },
    models: { mode: 'replace', providers: { fake } },
    plugins: {
      load: { paths: [join(folder, 'plugin')] },
      slots: { contextEngine: 'varve' },
      entries: { varve: { enabled: true, config: { root: join(folder, 'varve') } } },
      allow: ['varve'],
    },
    gateway: { mode: 'local', port: await freePort(), bind: 'loopback', auth: { mode: 'token', token: 'none' } },
  };
  writeFileSync(join(folder, 'openclaw.json'), JSON.stringify(config));
}

function recordingPlugin(plugin: string, folder: string): string {
  return `import { appendFileSync } from 'node:fs';
import plugin from ${JSON.stringify(plugin)};
const note = (line) => appendFileSync(${JSON.stringify(join(folder, 'calls.txt'))}, line + '\\n');
const said = (name, result) => name === 'compact' ? ' ' + result.compacted + (result.compacted ? '' : ': ' + result.reason) : name === 'commitTurn' ? ' ' + result.status : '';
const recorded = (engine) => new Proxy(engine, {
  get: (target, name) => typeof target[name] !== 'function' ? target[name] : async (call) => {
    try {
      const result = await target[name](call);
      note(name + said(name, result));
      return result;
    } catch (error) {
      note(name + ' FAILED ' + error.stack);
      throw error;
    }
  },
});
export default {
  ...plugin,
  register: (api) => plugin.register({
    pluginConfig: api.pluginConfig,
    logger: { warn: (text) => { note('WARNED ' + text); api.logger.warn(text); } },
    registerContextEngine: (id, factory) => api.registerContextEngine(id, (context) => recorded(factory(context))),
  }),
};
`;
}

/** Starts a gateway. */
export async function startOpenClaw(installed: InstalledOpenClaw, { folder }: OpenClawHome): Promise<OpenClawProcess> {
  const { PATH: path = '' } = process.env;
  const env = {
    PATH: `${join(installed.node, '..')}:${path}`,
    HOME: join(folder, 'home'),
    OPENCLAW_CONFIG_PATH: join(folder, 'openclaw.json'),
    OPENCLAW_STATE_DIR: join(folder, 'state'),
    OPENCLAW_DISABLE_BONJOUR: '1',
    TMPDIR: join(folder, 'tmp'),
  };
  const log = join(folder, 'gateway.txt');
  const start = (argv: readonly string[], detached = false): ChildProcess =>
    spawn(installed.node, [installed.entry, ...argv], {
      env,
      cwd: folder,
      detached,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  // A group of its own: some versions run the gateway in a process below the first.
  const gateway = start(['gateway', 'run'], true);
  for (const stream of [gateway.stdout, gateway.stderr]) stream?.on('data', (text) => appendFileSync(log, text));
  await saidBy(gateway, /\[gateway\] ready|listening on ws/);
  const command = (argv: readonly string[]): Promise<string> => run(start(argv));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (gateway.exitCode !== null || gateway.signalCode !== null) return;
    const closed = new Promise((resolve) => gateway.once('close', resolve));
    if (gateway.pid !== undefined) process.kill(-gateway.pid, signal);
    await closed;
  };
  return {
    command,
    compact: () => command(compactionOf(installed, agentId)),
    ask: async (text) => textOf(await command(['agent', ...sessionOf(installed, agentId), '-m', text, '--json'])),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** The words of an answer, as the command line prints it. */
function textOf(printed: string): string {
  const texts = [...printed.matchAll(/"text":\s*("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text ?? '""'));
  return texts.length === 0 ? printed : texts.join('\n');
}
