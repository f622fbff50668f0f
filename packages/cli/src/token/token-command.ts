import type { Role, TokenFile, TokenRecord } from '@varve/gateway';
import { Command, Option } from 'commander';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { tokenPlace } from '../serve/token-place.ts';
import { type CliIo, lineColumnsOf, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { momentText } from '../terminal/moment-text.ts';
import { parseAgeOrNone } from '../terminal/parse-moment.ts';
import { usage } from '../terminal/parse-options.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';

interface Flags extends ConfigFlags {
  readonly json?: boolean;
}

interface CreateFlags extends Flags {
  readonly role: Role;
  readonly expires: number | false;
}

const examples = `
Examples:
  varve token create phone --role client --expires 90d
  varve token list
  varve token revoke 3f9a0c12d4e5

A viewer looks; a client also talks, compacts and begins anew; an owner may do everything. A token is printed once: of it,
only a hash is kept, in gateway/tokens.json of the store. One that is revoked is refused at once by every gateway of it.

Exit codes: 0 done, 2 not done.
`;

/** Makes `varve token` with its subcommands. `done` is told the exit code. */
export function tokenCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('token')
    .summary('who may call the gateways of a store')
    .description('Makes, lists and revokes tokens for varve serve.')
    .addHelpText('after', examples);
  const add = (name: string, summary: string): Command =>
    command
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .option('--root <folder>', rootHelp)
      .option('--config <file>', configHelp)
      .option('--json', 'print JSON instead');
  add('create', 'make a token, and print it once')
    .argument('<name>', 'whose it is, in words')
    .addOption(new Option('--role <role>', 'what it may do').choices(['viewer', 'client', 'owner']).default('client'))
    .option('--expires <age>', 'how long it holds, such as 30d, or none', parseAgeOrNone, false)
    .action(async (name: string, flags: CreateFlags) => done(await create(io, name, flags)));
  add('list', 'list the tokens, without the tokens themselves').action(async (flags: Flags) =>
    done(await list(io, flags)),
  );
  add('revoke', 'take a token back')
    .argument('<id>', 'its id, as varve token list prints it')
    .action(async (id: string, flags: Flags) => done(await revoke(io, id, flags)));
  return command;
}

async function openTokens(io: CliIo, flags: Flags): Promise<TokenFile> {
  const { root } = await openConfig(flags, io);
  // The gateway brings a server along, which no other command needs.
  const { tokenFile } = await import('@varve/gateway');
  return tokenFile(tokenPlace(root));
}

async function create(io: CliIo, name: string, { role, expires, ...flags }: CreateFlags): Promise<ExitCode> {
  const tokens = await openTokens(io, flags);
  const expiresAt = expires === false ? null : Date.now() + expires;
  const { token, record } = await tokens.create({ name, role, expiresAt });
  const text = flags.json === true ? `${printableJson({ token, ...shown(record) })}\n` : `${token}\n`;
  await writeTo(io.stdout, text);
  return exitCodes.done;
}

async function list(io: CliIo, flags: Flags): Promise<ExitCode> {
  const records = await (await openTokens(io, flags)).records();
  if (flags.json === true) {
    await writeTo(io.stdout, `${printableJson({ tokens: records.map(shown) })}\n`);
    return exitCodes.done;
  }
  if (records.length === 0) {
    await writeTo(io.stdout, 'There are no tokens: varve token create makes one.\n');
    return exitCodes.done;
  }
  const now = Date.now();
  const rows = records.map((record) => [
    record.id,
    record.role,
    momentText(record.createdAt),
    stateOf(record, now),
    printableText(record.name),
  ]);
  const head = ['id', 'role', 'made', 'holds', 'name'];
  const table = plainTable({ head, rows, left: [0, 1, 2, 3, 4], columns: lineColumnsOf(io.stdout) });
  await writeTo(io.stdout, `${table}\n`);
  return exitCodes.done;
}

async function revoke(io: CliIo, id: string, flags: Flags): Promise<ExitCode> {
  const revoked = await (await openTokens(io, flags)).revoke(id);
  if (revoked === null) throw usage(`There is no token with the id "${id}".`, 'See varve token list.');
  const text = flags.json === true ? printableJson(shown(revoked)) : `${revoked.id} is refused from now on.`;
  await writeTo(io.stdout, `${text}\n`);
  return exitCodes.done;
}

/** What is said of a token: not its hash, which nobody needs. */
function shown({ hash: _, ...rest }: TokenRecord): Omit<TokenRecord, 'hash'> {
  return rest;
}

function stateOf({ revokedAt, expiresAt }: TokenRecord, now: number): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'for ever';
  return now < expiresAt ? `until ${momentText(expiresAt)}` : 'expired';
}
