import { channelName } from '../route/channel-name.ts';
import type { ResetSettings } from './reset-settings.ts';
import type { SessionSettings, VarveConfig } from './varve-config.ts';

/** What the plugin `reset-policy` is told. */
export interface ResetPolicySettings extends ResetSettings {
  readonly resetByType?: Readonly<Record<string, ResetSettings>> | undefined;
  readonly resetByChannel?: Readonly<Record<string, ResetSettings>> | undefined;
  readonly triggers?: readonly string[] | undefined;
  readonly authorised?: SessionSettings['resetAuthorised'];
  readonly models?: Readonly<Record<string, string>> | undefined;
  readonly greeting?: string | null | undefined;
}

/**
 * What the plugin `reset-policy` is told for one agent. What is said of the agent goes before what is said of a type of
 * conversation, and a channel's rules before both. Pure.
 */
export function resetPolicyOptionsOf(
  config: VarveConfig,
  { agentId }: { readonly agentId: string },
): ResetPolicySettings {
  const { session = {}, agents = {}, models = {} } = config;
  const { reset, resetByType = {}, resetTriggers, resetAuthorised, greeting } = session;
  const own = said(Object.hasOwn(agents, agentId) ? agents[agentId]?.reset : undefined);
  const byType = Object.entries(resetByType).map(([type, rules]) => [type, { ...rules, ...own }] as const);
  return {
    ...reset,
    ...own,
    resetByType: Object.fromEntries(byType),
    resetByChannel: resetByChannelOf(config),
    ...(resetTriggers === undefined ? {} : { triggers: resetTriggers }),
    ...(resetAuthorised === undefined ? {} : { authorised: resetAuthorised }),
    ...(greeting === undefined ? {} : { greeting }),
    models: models.names ?? {},
  };
}

/** The rules of channels, wherever they are said. */
function resetByChannelOf({ session = {}, channels = {} }: VarveConfig): Readonly<Record<string, ResetSettings>> {
  const own = Object.entries(channels).flatMap(([name, { reset }]) =>
    reset === undefined ? [] : [[channelName(name), reset] as const],
  );
  const general = Object.entries(session.resetByChannel ?? {}).map(
    ([name, rules]) => [channelName(name), rules] as const,
  );
  return Object.fromEntries([...general, ...own]);
}

/** What is `undefined` is not said: it takes the place of nothing. */
function said(rules: ResetSettings = {}): ResetSettings {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}
