import type { Milliseconds } from '@varve/core';
import type { MaintenancePolicy } from '../listing/maintenance-policy.ts';
import { entryOfChannel } from '../route/channel-name.ts';
import type { SessionsOptions } from '../sessions-options.ts';
import type { DefaultsAbout, DefaultsOf, SessionDefaults } from '../settings/session-defaults.ts';
import { parseByteSize } from './byte-size.ts';
import { parseDuration } from './duration.ts';
import { effectiveConfig } from './effective-config.ts';
import { routingOptionsOf } from './routing-options-of.ts';
import type { VarveConfig } from './varve-config.ts';

/**
 * What `createSessions` is told beside the host, the models and what carries messages: routing, what conversations have
 * that chose nothing, sleep, carry-over, sub-agents. Pure.
 */
export function sessionsOptionsOf(
  config: VarveConfig,
): Pick<SessionsOptions, 'routing' | 'defaults' | 'live' | 'carryOver' | 'subagents' | 'maxConcurrentTurns'> {
  const { hibernate = {}, subagents = {}, carryOver, maxConcurrentTurns } = config.session ?? {};
  const { after, maxSessions, maxBytes } = hibernate;
  const { timeout, ...limits } = subagents;
  return {
    routing: routingOptionsOf(config),
    defaults: defaultsOf(config),
    live: { idleMs: spanOf(after), maxSessions, maxBytes: bytesOf(maxBytes) },
    carryOver,
    subagents: { ...limits, timeoutMs: spanOf(timeout) },
    maxConcurrentTurns,
  };
}

/** What holds for conversations by their agent and channel. Those that are not configured are all alike. */
function defaultsOf(config: VarveConfig): DefaultsOf {
  const { agents = {}, channels = {} } = config;
  const known = new Map<string, SessionDefaults>();
  return (about) => {
    const agentId = Object.hasOwn(agents, about.agentId) ? about.agentId : '';
    const channel = entryOfChannel(channels, about.channel)?.name ?? null;
    const place = JSON.stringify([agentId, channel]);
    const found = known.get(place) ?? defaultsIn(config, { agentId, channel });
    known.set(place, found);
    return found;
  };
}

function defaultsIn(config: VarveConfig, about: DefaultsAbout): SessionDefaults {
  const { model, thinking, verbose } = effectiveConfig(config, about).values;
  return { model, thinking, verbose };
}

/** What the section `session.maintenance` says, and whether it is only to be said what would be done. Pure. */
export function maintenancePolicyOf({ session = {} }: VarveConfig): {
  readonly policy: MaintenancePolicy;
  readonly dryRun: boolean;
} {
  const {
    dryRun = true,
    olderThan,
    runsOlderThan,
    maxSessions,
    maxBytes,
    keepRecent,
    orphans,
    compressAfter,
    deleteArchivedAfter,
  } = session.maintenance ?? {};
  const policy: MaintenancePolicy = {
    olderThanMs: olderThan === false ? false : spanOf(olderThan),
    cronRunsOlderThanMs: runsOlderThan === false ? false : spanOf(runsOlderThan),
    maxSessions,
    maxBytes: maxBytes === false ? false : bytesOf(maxBytes),
    keepRecentMs: spanOf(keepRecent),
    orphans,
    compressArchivedAfterMs: compressAfter === false ? false : spanOf(compressAfter),
    deleteArchivedAfterMs: deleteArchivedAfter === false ? false : spanOf(deleteArchivedAfter),
  };
  return { policy, dryRun };
}

/** The schema has seen to it that it can be read. */
function spanOf(text: string | undefined): Milliseconds | undefined {
  return text === undefined ? undefined : (parseDuration(text) ?? undefined);
}

function bytesOf(given: string | number | undefined): number | undefined {
  return given === undefined ? undefined : (parseByteSize(given) ?? undefined);
}
