import { isIP } from 'node:net';
import { requestError } from '../problem/problem.ts';

/** Whether an address is one that no other machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Which names the gateway is called by. */
export interface HostCheck {
  /** Whether it is bound to a loopback address: only names of this machine are right then. */
  readonly isLocal: boolean;
  /** Names beside those, without a port. @default none; bound elsewhere, any */
  readonly allowed: readonly string[];
}

/**
 * Refuses requests under a name that is not the gateway's: a page of somebody else can make a browser on this machine call
 * it under a name that leads here (DNS rebinding), and one that says where it comes from must come from here.
 *
 * @throws VARVE_REQUEST_INVALID  with the status 400, 421 or 403.
 */
export function checkHost(
  { hosts, origin }: { readonly hosts: readonly string[]; readonly origin?: string | undefined },
  { isLocal, allowed }: HostCheck,
): void {
  const [host = '', other] = hosts;
  if (other !== undefined) throw requestError('The request has more than one header Host.');
  const name = nameOf(host);
  const isKnown = name !== null && (allowed.includes(name) || (isLocal ? isLoopback(name) : allowed.length === 0));
  if (!isKnown) throw requestError('The header Host does not name this gateway.', { status: 421 });
  if (origin === undefined) return;
  if (
    origin.toLowerCase() === `http://${host.toLowerCase()}` ||
    origin.toLowerCase() === `https://${host.toLowerCase()}`
  )
    return;
  throw requestError('Pages of other places may not call this gateway.', { status: 403 });
}

/** The name in a header `Host`, in lower case and without the port; `null` where it is none. */
function nameOf(host: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase().replace(/^\[(.*)\]$/, '$1') ?? null;
}
