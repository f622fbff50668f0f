import {
  createHost,
  type HostOptions,
  type ModelCallOptions,
  type ModelReply,
  type ModelRequest,
  memoryStore,
  type Plugin,
  partsOfMessage,
  type Store,
  VarveError,
} from '@varve/core';
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  mintToken,
  type Role,
  type TokenRecord,
} from '@varve/gateway';
import { createSessions, type Sessions, type SessionsOptions } from '@varve/sessions';

/** What the model says to a prompt. */
type Script = (request: ModelRequest, options: ModelCallOptions) => string | Promise<string>;

/** A gateway over a store, with a token of each role, and what calls it. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly tokens: Readonly<Record<Role, string>>;
  /** The records of the tokens: what is pushed holds at once. */
  readonly records: TokenRecord[];
  /** Lines of the log. */
  readonly log: string[];
  call(path: string, options?: CallOptions): Promise<Called>;
  /** Says something and waits for the answer. */
  say(key: string, text: string, more?: Readonly<Record<string, unknown>>): Promise<Called>;
}

/** How a route is called. */
export interface CallOptions {
  readonly method?: string;
  readonly role?: Role | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What came of a call. `json` is `null` for what is no JSON. */
export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is read of an answer is what the test is about.
  readonly json: any;
}

/** How a gateway is served. */
export interface ServeOptions extends Partial<Pick<GatewayOptions, 'limits' | 'allowedHosts' | 'log'>> {
  readonly store?: Store;
  readonly script?: Script;
  readonly plugins?: readonly Plugin[];
  readonly budget?: HostOptions['budget'];
  readonly sessions?: Partial<SessionsOptions>;
}

/** Serves on a port that is free. */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const { store = memoryStore(), script = echo, plugins = [], budget, limits, allowedHosts } = options;
  const host = await createHost({ store, plugins, ...(budget === undefined ? {} : { budget }) });
  const sessions = createSessions({
    host,
    send: () => undefined,
    models: { defaultModel: 'test/large', port: ({ model }) => portOf(model, script) },
    ...options.sessions,
  });
  const made = (['viewer', 'client', 'owner'] as const).map((role) => mintToken({ name: role, role, now: Date.now() }));
  const records = made.map(({ record }) => record);
  const [viewer = '', client = '', owner = ''] = made.map(({ token }) => token);
  const tokens = { viewer, client, owner };
  const log: string[] = [];
  const gateway = await createGateway({
    host,
    sessions,
    store,
    tokens: { records: async () => records },
    limits: { pollMs: 50, requestsPerMinute: 100_000, ...limits },
    allowedHosts,
    log: options.log ?? { level: 'debug', stream: { write: (line) => void log.push(line) } },
  });
  const { url, port } = await gateway.listen();
  const call = async (path: string, how: CallOptions = {}): Promise<Called> => {
    const { method = 'GET', role = 'owner', body, headers = {}, signal } = how;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(role === null ? {} : { authorization: `Bearer ${tokens[role]}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return calledOf(response);
  };
  return {
    url,
    port,
    gateway,
    sessions,
    store,
    tokens,
    records,
    log,
    call,
    say: (key, text, more = {}) =>
      call(`/v1/sessions/${encodeURIComponent(key)}/turn`, {
        method: 'POST',
        role: 'client',
        body: { text, stream: false, ...more },
      }),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await sessions.close();
      await host.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function calledOf(response: Response): Promise<Called> {
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
}

function portOf(model: string, script: Script) {
  const [provider = '', name = ''] = model.split('/');
  if (provider !== 'test') return null;
  return {
    ref: { provider, model: name },
    generate: async (request: ModelRequest, options: ModelCallOptions = {}): Promise<ModelReply> => {
      if (options.signal?.aborted === true) throw abortedError();
      const text = await script(request, options);
      for (const word of text.split(/(?<= )/)) options.onDelta?.({ type: 'text', text: word });
      const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
      return { message: { role: 'assistant', content: text, stop: 'stop' }, usage };
    },
  };
}

/** What a model says that was interrupted. */
export function abortedError(): VarveError {
  return new VarveError('VARVE_ABORTED', 'The model was interrupted.', { fix: 'Ask again.' });
}

/** Repeats the user's last words. */
function echo({ prompt }: ModelRequest): string {
  const last = prompt.messages.findLast(({ role }) => role === 'user');
  const parts = last === undefined ? [] : partsOfMessage(last);
  return `You said: ${parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')}`;
}
