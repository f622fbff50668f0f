import type { RoutingOptions } from '../route/routing.ts';
import type { VarveConfig } from './varve-config.ts';

/** What `createRouting` is told. Pure. */
export function routingOptionsOf(config: VarveConfig): RoutingOptions {
  const { scope, dmScope, groupScope, identityLinks, bindings } = config.session ?? {};
  return { defaultAgentId: defaultAgentOf(config), scope, dmScope, groupScope, identityLinks, bindings };
}

/** The agent of what names none: the one that is said, else the only one, else `main`. */
export function defaultAgentOf({ session = {}, agents = {} }: Pick<VarveConfig, 'session' | 'agents'>): string {
  const ids = Object.keys(agents);
  const [only] = ids;
  return session.defaultAgentId ?? (ids.length === 1 && only !== undefined ? only : 'main');
}
