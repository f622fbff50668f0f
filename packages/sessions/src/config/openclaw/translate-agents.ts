import { putModel } from './model-text.ts';
import { translateAgent } from './translate-agent.ts';
import type { Translation } from './translation.ts';

/** Parts of `subagents` under their names here. */
const subagents: readonly (readonly [from: string, to: string, unit?: string])[] = [
  ['maxSpawnDepth', 'maxDepth'],
  ['maxChildrenPerAgent', 'maxChildren'],
  ['maxConcurrent', 'maxRunning'],
  ['model', 'model'],
  ['allowAgents', 'allowAgents'],
  ['runTimeoutSeconds', 'timeout', 's'],
];

/** What holds for all agents, and for each. */
export function translateAgents(translation: Translation): void {
  const { look, read, put, warn } = translation;
  translateAgent(translation, { from: ['agents', 'defaults'], to: ['global'] });
  if (look(['agent']) !== undefined) {
    warn(['agent'], 'holds for all agents, as agents.defaults does.');
    for (const from of [['agent'], ['agent', 'defaults']]) translateAgent(translation, { from, to: ['global'] });
  }
  for (const root of [['agents', 'defaults'], ['agent'], ['agent', 'defaults']]) {
    for (const [name, to, unit] of subagents) {
      const from = [...root, 'subagents', name];
      const value = look([...root, 'subagents']) === undefined ? undefined : read(from);
      const isEndless = name === 'runTimeoutSeconds' && value === 0;
      if (isEndless) warn(from, '0 is read as an hour: none runs without end.');
      const given = unit !== undefined && typeof value === 'number' ? `${value}${unit}` : value;
      put(['session', 'subagents', to], isEndless ? undefined : given, from);
    }
  }
  const list = look(['agents', 'list']);
  if (!Array.isArray(list)) return;
  for (const [index, agent] of list.entries()) translateListed(translation, { agent, index });
}

function translateListed(
  translation: Translation,
  { agent, index }: { readonly agent: unknown; readonly index: number },
): void {
  const { read, look, put, warn } = translation;
  const from = ['agents', 'list', index];
  const id = read([...from, 'id']);
  if (typeof agent !== 'object' || agent === null || typeof id !== 'string' || id === '') {
    read(from);
    warn(from, 'is not read: an agent needs an id.');
    return;
  }
  read([...from, 'name']);
  // Says nothing; but the agent is there.
  put(['agents', id, 'budget'], {}, from);
  translateAgent(translation, { from, to: ['agents', id] });
  if (look([...from, 'model']) !== undefined)
    putModel(translation, { from: [...from, 'model'], to: ['agents', id, 'model'] });
  if (read([...from, 'default']) === true) put(['session', 'defaultAgentId'], id, [...from, 'default']);
}
