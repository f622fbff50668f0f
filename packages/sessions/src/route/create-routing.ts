import { VarveError } from '@varve/core';
import { createIdentityLinks } from './identity-links.ts';
import type { Routing, RoutingOptions } from './routing.ts';

const scopes = {
  scope: ['per-sender', 'global'],
  dmScope: ['main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'],
  groupScope: ['per-group', 'main'],
} as const;

/**
 * Checks how conversations are told apart, once, at the start.
 *
 * @throws VARVE_ROUTING_INVALID  for an unknown scope, links that contradict each other, a binding without an agent.
 */
export function createRouting(options: RoutingOptions = {}): Routing {
  const { defaultAgentId = 'main', scope = 'per-sender', dmScope = 'main', groupScope = 'per-group' } = options;
  const { identityLinks = {}, bindings = [] } = options;
  checkScope('scope', scope);
  checkScope('dmScope', dmScope);
  checkScope('groupScope', groupScope);
  for (const { agentId } of [{ agentId: defaultAgentId }, ...bindings]) {
    if (typeof agentId === 'string' && agentId !== '') continue;
    throw new VarveError('VARVE_ROUTING_INVALID', 'An agent has no name.', { fix: 'Give each agentId a text.' });
  }
  const links = createIdentityLinks(identityLinks);
  return {
    defaultAgentId,
    scope,
    dmScope,
    groupScope,
    bindings,
    personOf: links.personOf,
    warnings: warningsOf({ scope, dmScope, links: links.size }),
  };
}

function checkScope(name: keyof typeof scopes, value: string): void {
  const known: readonly string[] = scopes[name];
  if (known.includes(value)) return;
  throw new VarveError('VARVE_ROUTING_INVALID', `There is no ${name} "${value}".`, {
    fix: `Use one of: ${known.join(', ')}.`,
    details: { path: name },
  });
}

function warningsOf({ scope, dmScope, links }: Pick<Routing, 'scope' | 'dmScope'> & { links: number }): string[] {
  if (links === 0) return [];
  if (scope === 'global') return ['identityLinks: all share one conversation under scope "global".'];
  if (dmScope !== 'main') return [];
  return ['identityLinks: direct chats share one conversation under dmScope "main"; links decide about memory alone.'];
}
