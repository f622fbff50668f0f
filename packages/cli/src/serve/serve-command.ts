import { once } from 'node:events';
import type { ModelRef } from '@varve/core';
import type { Gateway, TokenRecord, TokenSource } from '@varve/gateway';
import { Command, Option } from 'commander';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { openConversations } from '../conversations/open-conversations.ts';
import { parseModelName } from '../models/model-name.ts';
import { offlineRef } from '../models/offline-model.ts';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { parseBudget, usage } from '../terminal/parse-options.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';
import { ownVersion } from '../version.ts';
import { openStore } from './open-store.ts';
import { tokenPlace } from './token-place.ts';

interface Flags extends ConfigFlags {
  readonly port: number;
  readonly host: string;
  readonly agent: string;
  readonly model?: string;
  readonly budget?: number;
  readonly postgres?: boolean;
  readonly schema?: string;
  readonly allowHost?: readonly string[];
  readonly log: 'none' | 'debug' | 'info' | 'warn' | 'error';
  /** False for `--no-token`. */
  readonly token: boolean;
  readonly json?: boolean;
}

const defaultPort = 8137;

const examples = `
Examples:
  varve serve
  varve serve --port 9000 --model anthropic:claude-sonnet-5-5
  varve serve --postgres                              sessions in the database of DATABASE_URL, which others may serve too
  varve serve --host 0.0.0.0 --allow-host varve.example.org    takes a token of varve token create

On this machine alone it makes a token of an owner for this run, and prints it once. Other machines need tokens that
varve token create makes. Ctrl-C, or SIGTERM, ends it: turns that run are waited for, and aborted after ten seconds.

Exit codes: 0 ended, 2 not done: a port that is taken, a model that cannot be asked.
`;

/** Makes `varve serve`. `done` is told the exit code. */
export function serveCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('serve')
    .summary('the gateway: sessions over HTTP')
    .description(
      'Serves the sessions of a store over HTTP: turns that stream, live events, what was sent and why. It is the only one ' +
        'that writes to its sessions; on PostgreSQL, any number of them share the sessions. GET /openapi.json has its API.',
    )
    .option('--port <number>', 'port; 0 for any that is free', parsePort, defaultPort)
    .option('--host <address>', 'address that it listens on', '127.0.0.1')
    .option('--model <name>', 'offline, or provider:model (default: what the configuration says, else offline)')
    .option('--budget <tokens>', 'size of prompts, such as 32k (default: what the model takes)', parseBudget)
    .option('--agent <id>', 'the agent whose plugins run', 'main')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--postgres', 'keep sessions in the database of DATABASE_URL; needs the package pg')
    .option('--schema <name>', 'schema of the tables there')
    .option('--allow-host <names...>', 'names that it is called by, beside those of this machine')
    .option('--no-token', 'make no token for this run')
    .addOption(
      new Option('--log <level>', 'what is written to standard error, as JSON')
        .choices(['none', 'debug', 'info', 'warn', 'error'])
        .default('warn'),
    )
    .option('--json', 'print one JSON object a line instead')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => done(await runServe(io, flags)));
}

async function runServe(io: CliIo, flags: Flags): Promise<ExitCode> {
  const { loaded, root } = await openConfig(flags, io);
  for (const { path, text } of loaded?.warnings ?? []) {
    await writeTo(io.stderr, `warning: ${printableText(`${path}: ${text}`)}\n`);
  }
  const model = flags.model === undefined ? null : parseModelName(flags.model, loaded?.config);
  // A server is loaded when one is asked for: no other command needs it.
  const { createGateway, mintToken, tokenFile } = await import('@varve/gateway');
  const opened = await openStore({ root, postgres: flags.postgres === true, schema: flags.schema, env: io.env });
  try {
    await using open = await openConversations({
      root,
      store: opened.store,
      config: loaded?.config ?? null,
      about: { agentId: flags.agent, channel: null },
      model,
      budget: flags.budget ?? null,
      env: io.env,
      // What leaves by itself is seen in the events.
      announce: () => undefined,
    });
    const own = isForThisRun(flags) ? mintToken({ name: 'this run', role: 'owner', now: Date.now() }) : null;
    await using gateway = await createGateway({
      host: open.host,
      sessions: open.sessions,
      store: opened.store,
      tokens: withToken(tokenFile(tokenPlace(root)), own?.record ?? null),
      version: ownVersion(),
      allowedHosts: flags.allowHost,
      ...(flags.log === 'none' ? {} : { log: { level: flags.log, stream: logTo(io) } }),
    });
    const { url } = await gateway.listen(flags);
    await say(io, flags, { url, root, token: own?.token ?? null, store: opened.kind, model: open.models.defaultModel });
    await open.sessions.recover().catch((error: unknown) => {
      // The conversations of others may be locked; they bring their sub-agents home themselves.
      return writeTo(io.stderr, `warning: ${printableText(String(error))}\n`);
    });
    return await untilStopped(io, gateway);
  } finally {
    await opened.end();
  }
}

async function untilStopped({ signal }: CliIo, gateway: Gateway): Promise<ExitCode> {
  if (signal?.aborted !== true) await once(signal ?? new AbortController().signal, 'abort');
  await gateway.close();
  return exitCodes.done;
}

/** A token is made for this run where no other machine can reach the gateway. */
function isForThisRun({ host, token }: Flags): boolean {
  return token && /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
}

function withToken(file: TokenSource, own: TokenRecord | null): TokenSource {
  return own === null ? file : { records: async () => [own, ...(await file.records())] };
}

/** A log that cannot be written ends nothing. */
function logTo({ stderr }: CliIo): { write(line: string): void } {
  return { write: (line) => void stderr.write(line) };
}

interface Serving {
  readonly url: string;
  readonly root: string;
  readonly token: string | null;
  readonly store: string;
  readonly model: ModelRef;
}

async function say(io: CliIo, { json = false }: Flags, serving: Serving): Promise<void> {
  const { url, root, token, store, model } = serving;
  const name = model.provider === offlineRef.provider ? offlineRef.provider : `${model.provider}:${model.model}`;
  if (json) {
    await writeTo(io.stdout, `${printableJson({ type: 'listening', url, root, store, model: name, token })}\n`);
    return;
  }
  const lines = [
    `Varve gateway on ${url}`,
    `sessions: ${store === 'files' ? printableText(root) : store}, model: ${printableText(name)}`,
    ...(token === null
      ? ['tokens: those of varve token list']
      : [
          `inspector: ${url}/#token=${token}`,
          `token (owner, for this run): ${token}`,
          `try: curl -H "Authorization: Bearer ${token}" ${url}/v1/sessions`,
        ]),
    'Ctrl-C ends it.',
  ];
  await writeTo(io.stdout, `${lines.join('\n')}\n`);
}

function parsePort(text: string): number {
  const port = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(port) && port <= 65_535) return port;
  throw usage(`"${text}" is no port.`, 'Give a whole number up to 65535; 0 takes any that is free.');
}
