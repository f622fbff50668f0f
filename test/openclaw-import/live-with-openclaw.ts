import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { answer, type ModelScript, startModelServer } from '@varve/testkit/model-server';
import type { InstalledOpenClaw } from './install-openclaw.ts';

/** What was said to OpenClaw, by agent: before the reset of the conversation, and since. */
export interface OpenClawLife {
  /** The folder with its state. */
  readonly state: string;
  readonly said: readonly SaidToAgent[];
}

/** What was said in the main conversation of one agent. */
interface SaidToAgent {
  readonly agentId: string;
  readonly before: readonly string[];
  readonly since: readonly string[];
}

const note = 'The lighthouse is at 54 degrees north.';
const ask = 'Please look into notes.txt';
const long = (what: string): string => `Tell me about the ${what}. ${`Of the ${what} I know this: `.repeat(1_100)}`;

const life: readonly SaidToAgent[] = [
  {
    agentId: 'main',
    before: [ask, long('harbour'), long('tides'), 'And the ferries?', 'Once more, look into notes.txt'],
    since: ['A new beginning.', 'And its end.'],
  },
  { agentId: 'helper', before: [], since: ['Hello, helper.', ask] },
];

/** Runs a gateway of OpenClaw with a model on this machine, talks to two agents, and resets one conversation. */
export async function liveWithOpenClaw(
  installed: InstalledOpenClaw,
  { folder, onStep }: { readonly folder: string; readonly onStep: (step: string) => void },
): Promise<OpenClawLife> {
  const [state = '', work = '', home = '', temporary = ''] = ['state', 'work', 'home', 'tmp'].map((name) =>
    join(folder, name),
  );
  for (const one of [state, work, home, temporary]) mkdirSync(one, { recursive: true });
  writeFileSync(join(work, 'notes.txt'), `${note}\n`);
  await using server = await startModelServer({ provider: 'openai', contextTokens: 1_000_000, script });
  const config = join(folder, 'openclaw.json');
  writeFileSync(config, JSON.stringify(configOf({ work, url: server.url, port: await freePort() })));
  const { PATH: path = '' } = process.env;
  const env = {
    PATH: `${join(installed.node, '..')}:${path}`,
    HOME: home,
    OPENCLAW_CONFIG_PATH: config,
    OPENCLAW_STATE_DIR: state,
    // Neither is a neighbour told, nor anything written outside of the folder.
    OPENCLAW_DISABLE_BONJOUR: '1',
    TMPDIR: temporary,
  };
  const start = (argv: readonly string[]): ChildProcess =>
    spawn(installed.node, [installed.entry, ...argv], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const gateway = start(['gateway', 'run']);
  const told: string[] = [];
  for (const stream of [gateway.stdout, gateway.stderr]) stream?.on('data', (chunk) => told.push(String(chunk)));
  try {
    await saidBy(gateway, /\[gateway\] ready|listening on ws/);
    for (const { agentId, before, since } of life) {
      const turns = before.length === 0 ? since : [...before, '/new', ...since];
      for (const message of turns) {
        onStep(`${agentId}: ${message.slice(0, 40)}`);
        await run(start(['agent', ...sessionOf(installed, agentId), '-m', message, '--json']));
        // Compactions are the gateway's: one by size may come before.
        if (message === before[3]) await run(start(compactionOf(installed, agentId))).catch(() => '');
      }
    }
  } catch (cause) {
    throw new Error(`OpenClaw ended its life early: ${told.join('').slice(-4_000)}`, { cause });
  } finally {
    gateway.kill('SIGTERM');
    await new Promise((resolve) => (gateway.exitCode === null ? gateway.once('close', resolve) : resolve(null)));
  }
  return { state, said: life };
}

/** Words of the command line for the main conversation of an agent. */
export function sessionOf({ version }: InstalledOpenClaw, agentId: string): readonly string[] {
  return version.startsWith('2026.3.') ? ['--agent', agentId] : ['--session-key', `agent:${agentId}:main`];
}

/** The command that compacts the main conversation of an agent. */
export function compactionOf({ version }: InstalledOpenClaw, agentId: string): readonly string[] {
  const key = `agent:${agentId}:main`;
  return version.startsWith('2026.3.')
    ? ['gateway', 'call', 'sessions.compact', '--params', JSON.stringify({ key }), '--json']
    : ['sessions', 'compact', key, '--json'];
}

/** Reads a file when it is asked to, and answers with a sentence. */
const script: ModelScript = ({ number, conversation: { messages, tools } }) => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const asked = /look into (\S+)/.exec(since.map(({ text }) => text).join(' '))?.[1];
  const canRead = tools.some(({ name }) => name === 'read');
  const isAnswered = since.some(({ results }) => results.length > 0);
  if (asked === undefined || !canRead || isAnswered) return `Reply ${number}: I thought about it.`;
  return answer([{ type: 'tool-call', name: 'read', input: { path: asked } }]);
};

function configOf({ work, url, port }: { readonly work: string; readonly url: string; readonly port: number }): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: 'fake-1',
    name: 'Fake',
    reasoning: false,
    input: ['text'],
    cost,
    contextWindow: 32_000,
    maxTokens: 2_000,
  };
  const fake = { baseUrl: url, apiKey: 'none', api: 'openai-completions', models: [model] };
  return {
    agents: {
      defaults: { model: { primary: 'fake/fake-1' }, workspace: work },
      list: [
        { id: 'main', default: true, workspace: work },
        { id: 'helper', workspace: work },
      ],
    },
    models: { mode: 'replace', providers: { fake } },
    gateway: { mode: 'local', port, bind: 'loopback', auth: { mode: 'token', token: 'none' } },
  };
}

/** A port that nobody listens on now. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Waits until a process says something. */
export function saidBy(child: ChildProcess, what: RegExp): Promise<void> {
  let text = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        text += String(chunk);
        if (what.test(text)) resolve();
      });
    }
    child.once('close', (code) => reject(new Error(`It ended with ${code}: ${text.slice(-2_000)}`)));
  });
}

/** Waits for the end of a process, and gives what it printed. */
export function run(child: ChildProcess): Promise<string> {
  let [out, all] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
    all += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    all += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`It ended with ${code}: ${all.slice(-2_000)}`)),
    );
  });
}
