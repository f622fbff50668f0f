/** Sections at the top of a file that only OpenClaw has. */
const sections = ['gateway', 'messages', 'cron', 'tools', 'auth', 'wizard', 'meta', 'logging', 'skills', 'bindings'];

/** What stands under `plugins` there. A list of plugins is a mistake of somebody who writes a configuration of Varve. */
const pluginWords = ['enabled', 'allow', 'deny', 'load', 'entries', 'slots', 'installs'];

/** Settings of one agent, or of all, in the words of OpenClaw. */
const agentWords = [
  'contextPruning',
  'defaults',
  'list',
  'workspace',
  'contextTokens',
  'thinkingDefault',
  'memorySearch',
];

/** Settings of sessions in the words of OpenClaw. */
const sessionWords = ['store', 'mainKey', 'parentForkMaxTokens', 'agentToAgent', 'threadBindings', 'idleMinutes'];

/** Settings that only Varve has, by the section they stand in. */
const ownWords: Readonly<Record<string, readonly string[]>> = {
  models: ['default', 'names', 'facts'],
  session: ['bindings', 'defaultAgentId', 'resetAuthorised', 'greeting', 'hibernate', 'subagents', 'carryOver'],
};

/**
 * Whether a configuration is written in the words of OpenClaw: it has settings that no configuration of Varve may have,
 * and none of those that only Varve has. In doubt it is one of Varve, which is the stricter one.
 */
export function isOpenClaw(raw: unknown): boolean {
  const { agent, agents, session, plugins, ...rest } = fieldsOf(raw);
  const has = (value: unknown, words: readonly string[]): boolean => words.some((word) => word in fieldsOf(value));
  const isOwn = Object.entries(ownWords).some(([section, words]) => has(fieldsOf(raw)[section], words));
  const ids = Object.keys(fieldsOf(agents)).filter((name) => name !== 'defaults' && name !== 'list');
  if (isOwn || ids.length > 0 || has(raw, ['store', 'global'])) return false;
  const hasSection = sections.some((name) => typeof rest[name] === 'object');
  const isForeign = hasSection || has(plugins, pluginWords);
  return isForeign || has(agent, agentWords) || has(agents, ['defaults', 'list']) || has(session, sessionWords);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
