import { entryOfChannel } from '../route/channel-name.ts';
import { defaultSettings } from './default-settings.ts';
import { type LayeredSetting, settingsOf } from './layered-settings.ts';
import type { ResetSettings } from './reset-settings.ts';
import type { VarveConfig } from './varve-config.ts';

interface ResetAbout {
  readonly agentId: string;
  readonly channel: string | null;
  readonly type: 'direct' | 'group' | 'thread';
}

/**
 * What is said of the end of a conversation, lowest layer first: as the plugin `reset-policy` decides it with the options
 * that `resetPolicyOptionsOf` gives. A channel's rules stand alone but for the time zone.
 */
export function resetLayers(config: VarveConfig, { agentId, channel, type }: ResetAbout): readonly LayeredSetting[] {
  const { session = {}, agents = {} } = config;
  const under = (reset: ResetSettings | undefined): { reset: ResetSettings | undefined } => ({ reset });
  const { resetByType = {} } = session;
  const typeName = type === 'direct' && resetByType.direct === undefined ? 'dm' : type;
  const own = Object.hasOwn(agents, agentId) ? agents[agentId]?.reset : undefined;
  const base = settingsOf(under(defaultSettings.reset), { layer: 'default', at: null });
  const general = [
    ...settingsOf(under(session.reset), { layer: 'global', at: ['session'] }),
    ...renamed(resetByType[typeName], { layer: 'global', at: ['session', 'resetByType', typeName] }),
    ...renamed(own, { layer: 'agent', at: ['agents', agentId, 'reset'] }),
  ];
  const ofChannel = channel === null ? null : rulesOfChannel(config, channel);
  if (ofChannel === null) return [...base, ...general];
  const typeZone = new Set([`session.resetByType.${typeName}.timeZone`]);
  const zones = general.filter(({ path, from }) => path[1] === 'timeZone' && !typeZone.has(from ?? ''));
  return [...base, ...zones, ...ofChannel];
}

function rulesOfChannel(
  { session = {}, channels = {} }: VarveConfig,
  channel: string,
): readonly LayeredSetting[] | null {
  const own = entryOfChannel(channels, channel);
  if (own?.value.reset !== undefined) {
    return renamed(own.value.reset, { layer: 'channel', at: ['channels', own.name, 'reset'] });
  }
  const found = entryOfChannel(session.resetByChannel, channel);
  if (found === null) return null;
  return renamed(found.value, { layer: 'channel', at: ['session', 'resetByChannel', found.name] });
}

/** Rules that stand under another name than `reset`. */
function renamed(
  rules: ResetSettings | undefined,
  { layer, at }: { readonly layer: LayeredSetting['layer']; readonly at: readonly string[] },
): readonly LayeredSetting[] {
  return settingsOf(rules, { layer, at }).map((setting) => ({ ...setting, path: ['reset', ...setting.path] }));
}
