import { readFile } from 'node:fs/promises';
import { type ErrorCode, errorCodes, VarveError } from '@varve/core';
import type { Problem } from '@varve/gateway';
import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import { codeOf } from '../terminal/make-folder.ts';
import { usage } from '../terminal/parse-options.ts';

/** What the user said of a gateway that is to be asked. */
export interface GatewayFlags {
  /** Its address. @default the store is worked on itself */
  readonly gateway?: string;
  /** File with the token. @default VARVE_TOKEN */
  readonly tokenFile?: string;
}

/** A gateway that is asked in the place of a store. */
export interface RemoteGateway {
  /** The address, for people. */
  readonly url: string;
  /**
   * Asks for JSON.
   *
   * @param body  Sent with POST. @default GET
   * @throws what the gateway says, with its code; VARVE_USAGE  when nobody answers.
   */
  ask<Answer>(path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Opens a stream of events behind one, or at its end. */
  stream(path: string, lastId: string | null): Promise<Response>;
}

/** Adds the options that name a gateway. */
export function addGatewayOptions(command: Command): Command {
  return command
    .option('--gateway <url>', 'ask a gateway that runs, in the place of the store')
    .option('--token-file <file>', 'file with its token (default: the token in VARVE_TOKEN)');
}

/** Path of a session at a gateway. */
export function sessionPath(name: string): string {
  return `/v1/sessions/${encodeURIComponent(name)}`;
}

/** The gateway that the options name; `null` for none. @throws VARVE_USAGE  without a token, or for no address. */
export async function remoteGateway({ gateway, tokenFile }: GatewayFlags, io: CliIo): Promise<RemoteGateway | null> {
  if (gateway === undefined) return null;
  const { VARVE_TOKEN = '' } = io.env;
  const token = tokenFile === undefined ? VARVE_TOKEN : await tokenIn(tokenFile);
  if (token === '') throw usage('There is no token for the gateway.', 'Give --token-file, or set VARVE_TOKEN.');
  const base = addressOf(gateway);
  const call = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) };
    const signal = io.signal === undefined ? {} : { signal: io.signal };
    const response = await fetch(`${base}${path}`, { ...init, headers, ...signal }).catch((error: unknown) => {
      throw nobodyThere(base, error, io);
    });
    if (!response.ok) throw errorOf(await response.text(), response.status);
    return response;
  };
  return {
    url: base,
    ask: async <Answer>(path: string, body?: Readonly<Record<string, unknown>>) => {
      const headers = { 'content-type': 'application/json' };
      const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      // The document of the gateway says so.
      return (await call(path, init)).json() as Promise<Answer>;
    },
    stream: (path, lastId) => call(path, lastId === null ? {} : { headers: { 'last-event-id': lastId } }),
  };
}

async function tokenIn(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw usage(`"${file}" cannot be read: ${codeOf(error)}.`, 'Name a file that holds the token, and nothing else.');
  }
}

function addressOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw usage(`"${text}" is no address of a gateway.`, 'Give what varve serve prints, such as http://127.0.0.1:8137.');
}

/** What the gateway says is what anybody else would say here. */
function errorOf(text: string, status: number): VarveError {
  const { code, detail, fix } = problemIn(text);
  const known: ErrorCode = code !== undefined && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'VARVE_USAGE';
  return new VarveError(known, detail ?? `The gateway answers with ${status}.`, {
    fix: fix ?? 'Check the address: something else may answer there.',
  });
}

function problemIn(text: string): Partial<Problem> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}

function nobodyThere(url: string, cause: unknown, { signal }: CliIo): VarveError {
  if (signal?.aborted === true) {
    return new VarveError('VARVE_ABORTED', 'It was interrupted.', { fix: 'Call it again.', cause });
  }
  return new VarveError('VARVE_USAGE', `No gateway answers at ${url}.`, {
    fix: 'Start one with varve serve, and give the address that it prints.',
    cause,
  });
}
