import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledPi } from './install-pi.ts';

/** Where pi lives while it is tried. */
export interface PiHome {
  readonly folder: string;
  /** The module with the extension. */
  readonly extension: string;
  readonly url: string;
}

/** A line that pi prints in its mode for programs. */
interface PiLine {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A pi that runs. */
export interface PiProcess {
  /** Says something, and waits for the end of the answer. */
  ask(text: string): Promise<string>;
  /** Gives another command, and waits for its response. */
  command(command: { readonly type: string; readonly [field: string]: unknown }): Promise<PiLine>;
  /** Waits for the end of a run. */
  settled(): Promise<unknown>;
  /** Waits for a line. */
  until(test: (line: PiLine) => boolean): Promise<PiLine>;
  /** All lines so far. */
  readonly lines: readonly PiLine[];
  /** Ends it by saying no more. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

const model = {
  id: 'fake-1',
  name: 'Fake',
  reasoning: false,
  input: ['text'],
  contextWindow: 32_000,
  maxTokens: 2_000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** Writes what pi reads of its model and of the extension. */
export function preparePi({ folder, extension, url }: PiHome): void {
  const agent = join(folder, 'home', '.pi', 'agent');
  for (const one of [agent, join(folder, 'work')]) mkdirSync(one, { recursive: true });
  const fake = { baseUrl: url, api: 'openai-completions', apiKey: 'none', models: [model] };
  writeFileSync(join(agent, 'models.json'), JSON.stringify({ providers: { fake } }));
  writeFileSync(join(folder, 'work', 'notes.txt'), 'The lighthouse is at 54 degrees north.\n');
  writeFileSync(join(folder, 'extension.ts'), recordingExtension({ extension, calls: join(folder, 'calls.txt') }));
}

/** The extension, with the name of each call of pi's put into a file. */
function recordingExtension({ extension, calls }: { readonly extension: string; readonly calls: string }): string {
  return `import { appendFileSync } from 'node:fs';
import { varveInPi } from ${JSON.stringify(extension)};
export default function (pi: any) {
  const on = (name: string, handler: any) => pi.on(name, async (event: any, context: any) => {
    const result = await handler(event, context);
    appendFileSync(${JSON.stringify(calls)}, name + (result?.cancel ? ' (cancelled)' : '') + '\\n');
    return result;
  });
  varveInPi()(new Proxy(pi, { get: (target, key) => (key === 'on' ? on : target[key]) }));
}
`;
}

/** Starts pi in its mode for programs. @param resumes  Whether it goes on with its last session. */
export function startPi(
  { node, entry, settles }: InstalledPi,
  { home, resumes }: { readonly home: PiHome; readonly resumes: boolean },
): PiProcess {
  const { folder } = home;
  const argv = ['--mode', 'rpc', '-e', join(folder, 'extension.ts'), '--provider', 'fake', '--model', 'fake-1'];
  const { PATH: path = '' } = process.env;
  const env = { PATH: `${join(node, '..')}:${path}`, HOME: join(folder, 'home'), PI_OFFLINE: '1' };
  const child = spawn(node, [entry, ...argv, ...(resumes ? ['--continue'] : [])], {
    cwd: join(folder, 'work'),
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return talkTo(child, { settles });
}

function talkTo(child: ChildProcess, { settles }: Pick<InstalledPi, 'settles'>): PiProcess {
  const lines: PiLine[] = [];
  const waiting = new Set<(line: PiLine | Error) => void>();
  const errors: string[] = [];
  let rest = '';
  child.stdout?.on('data', (chunk) => {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts.filter((one) => one.startsWith('{'))) {
      const line = JSON.parse(part) as PiLine;
      lines.push(line);
      for (const tell of [...waiting]) tell(line);
    }
  });
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void ended.then(() => {
    for (const tell of [...waiting]) tell(new Error(`pi has ended: ${errors.join('').slice(-2_000)}`));
  });
  const until = (test: (line: PiLine) => boolean): Promise<PiLine> =>
    new Promise((resolve, reject) => {
      const tell = (line: PiLine | Error): void => {
        if (!(line instanceof Error) && !test(line)) return;
        waiting.delete(tell);
        if (line instanceof Error) reject(line);
        else resolve(line);
      };
      waiting.add(tell);
    });
  const send = (line: object): void => {
    child.stdin?.write(`${JSON.stringify(line)}\n`);
  };
  // Until it has settled, a newer version takes no other prompt.
  const settled = (): Promise<PiLine> => until(({ type }) => type === (settles ? 'agent_settled' : 'agent_end'));
  const leave = async (end: () => void): Promise<void> => {
    end();
    await ended;
  };
  return {
    lines,
    until,
    settled,
    ask: async (text) => {
      const answered = until((line) => line.type === 'agent_end' && said(line).stopReason !== 'error');
      const isSettled = settles ? settled() : answered;
      send({ type: 'prompt', message: text });
      const [line] = await Promise.all([answered, isSettled]);
      return said(line).text;
    },
    command: async (command) => {
      const response = until((line) => line.type === 'response' && line['command'] === command.type);
      send(command);
      return response;
    },
    stop: () =>
      leave(() => {
        child.stdin?.end();
      }),
    kill: () => leave(() => child.kill('SIGKILL')),
  };
}

/** What the model said last, as the end of a run tells it. */
function said(line: PiLine): { readonly text: string; readonly stopReason: unknown } {
  const messages = (line['messages'] ?? []) as readonly { role: string; stopReason?: unknown; content?: unknown }[];
  const last = messages.findLast(({ role }) => role === 'assistant');
  const blocks = (Array.isArray(last?.content) ? last.content : []) as readonly { type: string; text?: string }[];
  return { text: blocks.map(({ text }) => text ?? '').join(''), stopReason: last?.stopReason };
}
