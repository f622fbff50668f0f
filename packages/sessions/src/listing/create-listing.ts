import { type BulkAction, type BulkReport, changeSessions } from './bulk-change.ts';
import type { ChangeOptions } from './change-options.ts';
import { listSessionPage, type SessionPage } from './list-sessions.ts';
import type { ListingParts } from './listing-parts.ts';
import { type MaintenanceReport, maintainSessions } from './maintain.ts';
import type { MaintenancePolicy } from './maintenance-policy.ts';
import type { SessionFilter, SessionListQuery } from './session-list-query.ts';
import { type SessionTree, sessionTree } from './session-tree.ts';

/** Looks at, and looks after, all sessions of a store. */
export interface SessionListing {
  /** A page of sessions, by any dimension. @throws VARVE_OPTION_INVALID */
  list(query?: SessionListQuery): Promise<SessionPage>;
  /** Sessions as a tree: agent, kind, conversation, generation, with sums. @throws VARVE_OPTION_INVALID */
  tree(filter?: SessionFilter): Promise<SessionTree>;
  /** Changes all sessions that a filter finds, with a line for each. @throws VARVE_OPTION_INVALID */
  bulk(filter: SessionFilter, action: BulkAction, options?: ChangeOptions): Promise<BulkReport>;
  /**
   * Archives what is old, too much, or left over from a crash; compresses what was archived long ago. Deletes only what it is
   * asked to. @throws VARVE_OPTION_INVALID
   */
  maintain(policy?: MaintenancePolicy, options?: ChangeOptions): Promise<MaintenanceReport>;
}

/** Makes the listing of one host's sessions. */
export function createListing(parts: ListingParts): SessionListing {
  return {
    list: (query) => listSessionPage(parts, query),
    tree: (filter) => sessionTree(parts, filter),
    bulk: (filter, action, options) => changeSessions(parts, { filter, action }, options),
    maintain: (policy, options) => maintainSessions(parts, policy, options),
  };
}
