import { type BudgetOptions, type JsonValue, nameOfModel } from '@varve/core';
import { channelName, entryOfChannel } from '../route/channel-name.ts';
import { type ThinkingLevel, textOfSetting, type VerboseLevel, verboseOfSetting } from '../settings/setting-values.ts';
import type {
  AgentSettings,
  CompactionSettings,
  MemorySettings,
  PruningSettings,
  RecallSettings,
} from './agent-settings.ts';
import { defaultSettings } from './default-settings.ts';
import { type LayeredSetting, nested, settingsOf } from './layered-settings.ts';
import { resetLayers } from './reset-layers.ts';
import type { ResetSettings } from './reset-settings.ts';
import { resolveModel } from './resolve-model.ts';
import { defaultAgentOf } from './routing-options-of.ts';
import { placedSendRules, type SendPolicySettings } from './send-policy-options-of.ts';
import type { VarveConfig } from './varve-config.ts';

/** Which conversation is asked about. */
export interface EffectiveAbout {
  /** @default the default agent */
  readonly agentId?: string | undefined;
  /** @default none */
  readonly channel?: string | null | undefined;
  /** Type of the conversation, for resets. @default 'direct' */
  readonly type?: 'direct' | 'group' | 'thread' | undefined;
  /** Settings of the session itself, as its journal has them: `model`, `thinking`, `verbose`, `send`. @default none */
  readonly settings?: Readonly<Record<string, JsonValue>> | undefined;
  /** Where settings stand in a file that was translated, as `readConfig` says. @default where they stand here */
  readonly originOf?: ((path: string) => string) | undefined;
}

/** What holds for one conversation. Names are those of {@link AgentSettings}. */
export interface EffectiveSettings {
  /** `provider/model`; as it was written where that names none; `null` where nobody says one. */
  readonly model: string | null;
  /** As the session says it, which may be a word for its model alone; `null` for the model's own way. */
  readonly thinking: ThinkingLevel | (string & {}) | null;
  readonly verbose: VerboseLevel;
  readonly instructions: string | null;
  readonly budget: BudgetOptions;
  readonly pruning: PruningSettings;
  readonly compaction: CompactionSettings;
  readonly recall: RecallSettings;
  readonly memory: MemorySettings;
  readonly reset: ResetSettings;
  readonly send: {
    /** What the session itself says, before any rule; `null` for nothing. */
    readonly override: JsonValue;
    readonly rules: SendPolicySettings['rules'];
    readonly default: 'allow' | 'deny';
    readonly timeZone: string | null;
  };
}

/** The layers, each of which goes before those in front of it. */
export type ConfigLayer = 'default' | 'global' | 'agent' | 'channel' | 'session';

/** Where a value comes from. */
export interface SettingSource {
  readonly layer: ConfigLayer;
  /** Where it is written; `null` for what nobody wrote. */
  readonly path: string | null;
}

/** What holds for one conversation, and where each value comes from. */
export interface EffectiveConfig {
  readonly values: EffectiveSettings;
  /** By the path of the setting, such as `pruning.softTrim.maxChars`. */
  readonly sources: Readonly<Record<string, SettingSource>>;
}

/**
 * Lays the layers over each other: defaults, what holds for all, the agent, the channel, the session. Objects are merged
 * field by field, everything else is replaced; rules of the send policy add up. Pure.
 */
export function effectiveConfig(config: VarveConfig, about: EffectiveAbout = {}): EffectiveConfig {
  const {
    agentId = defaultAgentOf(config),
    channel = null,
    type = 'direct',
    settings = {},
    originOf = (path) => path,
  } = about;
  const { send: override } = settings;
  const ofChannel = entryOfChannel(config.channels, channel);
  const layered = [
    ...settingsOf({ model: null, ...defaultSettings, reset: undefined }, { layer: 'default', at: null }),
    ...settingsOf({ model: config.models?.default }, { layer: 'global', at: ['models', 'default'], isWhole: true }),
    ...settingsOf(config.global, { layer: 'global', at: ['global'] }),
    ...settingsOf(ownOf(config.agents, agentId), { layer: 'agent', at: ['agents', agentId] }),
    ...settingsOf(ofChannel === null ? undefined : ownOf(config.channels, ofChannel.name), {
      layer: 'channel',
      at: ['channels', ofChannel?.name ?? ''],
    }),
    ...settingsOf(sessionSettings(settings), { layer: 'session', at: ['settings'] }),
    ...resetLayers(config, { agentId, channel, type }),
  ];
  const last = new Map<string, LayeredSetting>();
  for (const setting of layered) last.set(setting.path.join('.'), setting);
  for (const derived of derivedFrom(last)) last.set(derived.path.join('.'), derived);
  const { send, sendSources } = sendOf(config, { agentId, channel, override: override ?? null });
  const values = { ...nested([...last.values()]), send } as unknown as EffectiveSettings;
  const own = [...last].map(([path, { layer, from }]) => [path, { layer, path: from }] as const);
  const sources = Object.entries({ ...Object.fromEntries(own), ...sendSources }).map(
    ([name, { layer, path }]) => [name, { layer, path: path === null ? null : originOf(path) }] as const,
  );
  return { values: withModel(values, config), sources: Object.fromEntries(sources) };
}

function ownOf<Value extends object>(
  all: Readonly<Record<string, Value>> = {},
  name: string,
): Omit<Value, 'reset' | 'send'> | undefined {
  if (!Object.hasOwn(all, name)) return undefined;
  return { ...all[name], reset: undefined, send: undefined } as unknown as Omit<Value, 'reset' | 'send'>;
}

/** The settings that a configuration can say, too. What a session holds besides is its plugins'. */
function sessionSettings({
  model,
  thinking,
  verbose,
}: Readonly<Record<string, JsonValue>>): Partial<Record<keyof AgentSettings, JsonValue>> {
  const given = {
    model: textOfSetting(model),
    thinking: textOfSetting(thinking),
    verbose: verboseOfSetting(verbose),
  };
  return Object.fromEntries(Object.entries(given).filter((entry) => entry[1] !== null));
}

/** Defaults that depend on what is said elsewhere. */
function derivedFrom(last: ReadonlyMap<string, LayeredSetting>): readonly LayeredSetting[] {
  const derived: LayeredSetting[] = [];
  const valueAt = (path: string): unknown => last.get(path)?.value;
  const byDefault = (path: readonly string[], value: unknown): void => {
    derived.push({ path, value, layer: 'default', from: null });
  };
  const dir = last.get('memory.dir');
  if (dir !== undefined && last.get('memory.enabled')?.layer === 'default') {
    derived.push({ ...dir, path: ['memory', 'enabled'], value: true });
  }
  if (valueAt('recall.mode') === undefined) {
    byDefault(['recall', 'mode'], valueAt('pruning.prices') === 'none' ? 'quality' : 'cache-friendly');
  }
  if (valueAt('reset.mode') === 'idle' && valueAt('reset.idleMinutes') === null)
    byDefault(['reset', 'idleMinutes'], 60);
  return derived;
}

interface SendAbout {
  readonly agentId: string;
  readonly channel: string | null;
  readonly override: JsonValue;
}

function sendOf(
  config: VarveConfig,
  { agentId, channel, override }: SendAbout,
): { readonly send: EffectiveSettings['send']; readonly sendSources: Readonly<Record<string, SettingSource>> } {
  const { default: byDefault = 'allow', timeZone = null } = config.session?.sendPolicy ?? {};
  const isHere = (name: string): boolean => channel !== null && channelName(name) === channelName(channel);
  const placed = placedSendRules(config, { agentId }).filter((one) => one.channel === null || isHere(one.channel));
  const said = (name: 'default' | 'timeZone'): SettingSource =>
    config.session?.sendPolicy?.[name] === undefined
      ? { layer: 'default', path: null }
      : { layer: 'global', path: `session.sendPolicy.${name}` };
  const ofRules = placed.map(({ layer, path }, index) => [`send.rules[${index}]`, { layer, path }] as const);
  return {
    send: { override, rules: placed.map(({ rule }) => rule), default: byDefault, timeZone },
    sendSources: {
      'send.override':
        override === null ? { layer: 'default', path: null } : { layer: 'session', path: 'settings.send' },
      ...Object.fromEntries(ofRules),
      'send.default': said('default'),
      'send.timeZone': said('timeZone'),
    },
  };
}

function withModel(values: EffectiveSettings, config: VarveConfig): EffectiveSettings {
  const ref = values.model === null ? null : resolveModel(config, values.model);
  return ref === null ? values : { ...values, model: nameOfModel(ref) };
}
