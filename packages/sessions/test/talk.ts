import {
  type CommandReply,
  createHost,
  definePlugin,
  type Host,
  type HostOptions,
  type Inbound,
  type Message,
  type ModelCallOptions,
  type ModelReply,
  type ModelRequest,
  memoryStore,
  type Plugin,
  type PluginContext,
  type Store,
} from '@varve/core';
import {
  createSessions,
  type Outgoing,
  type Received,
  type ReceiveOptions,
  type Sessions,
  type SessionsOptions,
} from '@varve/sessions';
import { type ManualClock, manualClock } from '@varve/testkit';
import { z } from 'zod';

/** What the model says to a prompt; a text, or a whole reply. */
export type Script = (
  request: ModelRequest,
  options: ModelCallOptions,
) => string | ModelReply | Promise<string | ModelReply>;

/** Conversations with a scripted model, and what left them. */
export interface Talk extends AsyncDisposable {
  readonly host: Host;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly clock: ManualClock;
  /** What left, in order. */
  readonly sent: readonly Outgoing[];
  /** What left as words: `reply: Hello`. */
  readonly words: readonly string[];
  /** What the model was asked. */
  readonly asked: readonly ModelRequest[];
  /** The models that were asked, by name and thinking. */
  readonly chosen: readonly string[];
  /** Lets a message arrive: the owner's in a direct chat, with some fields different. */
  say(text: string, fields?: Partial<Inbound>, options?: ReceiveOptions): Promise<Received>;
}

/** How a talk is begun. */
export interface TalkOptions extends Partial<Omit<SessionsOptions, 'host' | 'models'>> {
  readonly store?: Store;
  readonly clock?: ManualClock;
  readonly plugins?: readonly Plugin[];
  readonly host?: Omit<HostOptions, 'store' | 'clock' | 'plugins'>;
  /** @default `re: ` and the user's last words */
  readonly script?: Script;
  /** Whether anybody answers. @default true */
  readonly answers?: boolean;
}

const knownModels: readonly string[] = ['test/large', 'test/small'];

/** Begins it. */
export async function beginTalk(options: TalkOptions = {}): Promise<Talk> {
  const { store = memoryStore(), clock = manualClock(), plugins = [], script = echo, answers = true } = options;
  const host = await createHost({ ...options.host, store, clock, plugins });
  const {
    store: _store,
    clock: _clock,
    plugins: _plugins,
    host: _host,
    script: _script,
    answers: _answers,
    ...rest
  } = options;
  const sent: Outgoing[] = [];
  const asked: ModelRequest[] = [];
  const chosen: string[] = [];
  const models: SessionsOptions['models'] = {
    defaultModel: 'test/large',
    names: { large: 'test/large', small: 'test/small' },
    port: ({ model, thinking }) =>
      knownModels.includes(model)
        ? {
            ref: { provider: 'test', model: model.slice('test/'.length) },
            generate: async (request, calling = {}) => {
              asked.push(request);
              chosen.push(thinking === null ? model : `${model} ${thinking}`);
              const said = await script(request, calling);
              return typeof said === 'string' ? reply(said) : said;
            },
          }
        : null,
  };
  const send = rest.send ?? ((outgoing: Outgoing) => void sent.push(outgoing));
  const sessions = createSessions({ ...rest, host, send, ...(answers ? { models } : {}) });
  let said = 0;
  return {
    host,
    sessions,
    store,
    clock,
    sent,
    get words() {
      return sent.map(({ kind, text = '' }) => `${kind}: ${text}`);
    },
    asked,
    chosen,
    say: (text, fields = {}, receiving) => {
      said += 1;
      return sessions.receive(inboundWith(text, { messageId: `m${said}`, ...fields }), receiving);
    },
    [Symbol.asyncDispose]: async () => {
      await sessions.close();
      await host.close();
    },
  };
}

/** A message of the owner in a direct chat, with some fields different. */
function inboundWith(text: string, fields: Partial<Inbound> = {}): Inbound {
  return {
    channel: 'telegram',
    chatType: 'direct',
    peer: '123',
    messageId: 'm1',
    sender: { id: '123', role: 'owner' },
    addressed: 'any',
    text,
    ...fields,
  };
}

/** An answer of text. */
export function reply(text: string): ModelReply {
  return { message: { role: 'assistant', content: text, stop: 'stop' }, usage: { inputTokens: 100, outputTokens: 10 } };
}

/** What the user said last in a prompt. */
export function lastWords({ prompt }: ModelRequest): string {
  return textOf(prompt.messages.findLast(({ role }) => role === 'user'));
}

function textOf(message: Message | undefined): string {
  if (message === undefined) return '';
  const { content } = message;
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

const echo: Script = (request) => `re: ${lastWords(request)}`;

/** A plugin that is written in the test. */
export function plugin(name: string, apply: (context: PluginContext) => void): Plugin {
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply })();
}

/** A policy that begins the conversation anew on `/new [model] [message]` of the owner, and when it is told to. */
export function resetting(
  options: { readonly isDue?: (sessionId: string) => boolean; readonly greeting?: string | null } = {},
): Plugin {
  const { isDue = () => false, greeting = 'Greet the user.' } = options;
  return plugin('acme/resetting', ({ hooks, listCommand }) => {
    listCommand({ command: '/new [model] [message]', what: 'Begins a new conversation.' });
    hooks.shouldReset.tapPromise('ask', ({ record }) =>
      isDue(record.sessionId) ? { reason: 'daily', text: 'A new day.' } : undefined,
    );
    hooks.command.tapPromise('new', ({ name, rest, sender }): CommandReply | undefined => {
      if (name !== 'new' || sender?.role !== 'owner') return undefined;
      const [, model = null, message = ''] = /^(\w+\/\w+)?\s*([\s\S]*)$/.exec(rest) ?? [];
      const said = message === '' ? null : message;
      return {
        text: 'A new conversation begins.',
        data: {
          reset: {
            reason: 'command',
            trigger: '/new',
            model,
            message: said,
            greeting: said === null ? greeting : null,
          },
        },
      };
    });
  });
}

/** A policy that forbids what a function says. */
export function denying(isDenied: (kind: string, text: string | undefined) => boolean): Plugin {
  return plugin('acme/denying', ({ hooks }) => {
    hooks.deliver.tapPromise('deny', (decision) =>
      isDenied(decision.delivery.kind, decision.delivery.text)
        ? { ...decision, allow: false, reason: 'Not now.', rule: 'test' }
        : undefined,
    );
  });
}

/** A promise, and how it is settled. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** The texts of the messages of a session, by role. */
export async function linesIn({ store }: Pick<Talk, 'store'>, sessionId: string): Promise<string[]> {
  const journal = await store.open(sessionId, { readOnly: true });
  try {
    const lines: string[] = [];
    for await (const entry of journal.read()) {
      if (entry.type === 'message') lines.push(`${entry.message.role}: ${textOf(entry.message)}`);
    }
    return lines;
  } finally {
    await journal.close();
  }
}
