import { pathText } from './path-text.ts';
import type { SendRuleSettings, SendRules } from './send-settings.ts';
import type { VarveConfig } from './varve-config.ts';

/** What the plugin `send-policy` is told: the rules of all layers, each named after its place in the configuration. */
export interface SendPolicySettings {
  readonly rules: readonly (SendRuleSettings & { readonly name: string })[];
  readonly default: 'allow' | 'deny';
  readonly timeZone: string | null;
}

/** A rule, and where it is written. */
export interface PlacedSendRule {
  readonly rule: SendPolicySettings['rules'][number];
  readonly layer: 'global' | 'agent' | 'channel';
  readonly path: string;
  /** The channel in whose section it stands; `null` for none. */
  readonly channel: string | null;
}

/** A decision names its rule; the plugin takes no longer names. */
const longestName = 100;

/** What the plugin `send-policy` is told for one agent. The rules of a channel match that channel alone. Pure. */
export function sendPolicyOptionsOf(
  config: VarveConfig,
  { agentId }: { readonly agentId: string },
): SendPolicySettings {
  const { default: byDefault = 'allow', timeZone = null } = config.session?.sendPolicy ?? {};
  return { rules: placedSendRules(config, { agentId }).map(({ rule }) => rule), default: byDefault, timeZone };
}

/** All rules that can hold for an agent, those of all channels among them. */
export function placedSendRules(
  { session = {}, agents = {}, channels = {} }: VarveConfig,
  { agentId }: { readonly agentId: string },
): readonly PlacedSendRule[] {
  const own = Object.hasOwn(agents, agentId) ? agents[agentId]?.send : undefined;
  const ofChannels = Object.entries(channels).flatMap(([channel, { send }]) =>
    rulesAt(send, ['channels', channel, 'send']).map(({ rule, path }) => ({
      rule: { ...rule, match: { ...rule.match, channel } },
      layer: 'channel' as const,
      path,
      channel,
    })),
  );
  return [
    ...rulesAt(session.sendPolicy, ['session', 'sendPolicy']).map((placed) => inLayer(placed, 'global')),
    ...rulesAt(own, ['agents', agentId, 'send']).map((placed) => inLayer(placed, 'agent')),
    ...ofChannels,
  ];
}

type Written = Pick<PlacedSendRule, 'rule' | 'path'>;

function inLayer(written: Written, layer: 'global' | 'agent'): PlacedSendRule {
  return { ...written, layer, channel: null };
}

function rulesAt({ rules = [], block }: SendRules = {}, at: readonly string[]): readonly Written[] {
  const listed = rules.map((rule, index): Written => {
    const path = pathText([...at, 'rules', index]);
    return { rule: { ...rule, name: rule.name ?? path.slice(0, longestName) }, path };
  });
  if (block === undefined) return listed;
  const { types: chatType, reason } = block;
  const path = pathText([...at, 'block']);
  const name = path.slice(0, longestName);
  const blocking = { action: 'deny', match: { chatType }, ...(reason === undefined ? {} : { reason }), name } as const;
  return [{ rule: blocking, path }, ...listed];
}
