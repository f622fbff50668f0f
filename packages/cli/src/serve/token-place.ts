import { join } from 'node:path';

/** Where the tokens of the gateways of a store lie: beside the agents, for the user alone. */
export function tokenPlace(root: string): string {
  return join(root, 'gateway', 'tokens.json');
}
