import { type JsonValue, type Session, type Tool, type ToolOutput, VarveError } from '@varve/core';
import { depthOf, spawnChild } from './spawn-child.ts';
import type { SpawnOptions } from './spawn-options.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** The name under which a model gives tasks to others. */
const spawnToolName = 'sessions_spawn';

const description = [
  'Gives a task to a sub-agent, which works on it beside this conversation. Returns at once; its result comes into this',
  'conversation by itself as soon as it is there. Use it for work that takes many steps or much reading, or that several',
  'can do at the same time. Write everything into the task that it takes: the sub-agent sees nothing of this conversation,',
  'unless mode is "fork".',
].join(' ');

const properties = {
  task: { type: 'string', description: 'What is to be done, and what the answer is to hold.' },
  label: { type: 'string', description: 'A few words that name the task.' },
  mode: {
    type: 'string',
    enum: ['isolated', 'fork'],
    description: '"isolated" begins with the task alone; "fork" with what you see, too. Default: isolated.',
  },
  agentId: { type: 'string', description: 'Who does it. Default: you.' },
  model: { type: 'string', description: 'The model that does it. Default: yours.' },
  cleanup: {
    type: 'string',
    enum: ['keep', 'delete'],
    description: '"delete" puts its conversation away when the result is here. Default: keep.',
  },
  timeoutSeconds: { type: 'number', description: 'How long it may take.' },
} as const;

const inputSchema: Tool['inputSchema'] = {
  type: 'object',
  properties: properties as unknown as JsonValue,
  required: ['task'],
  additionalProperties: false,
};

/** The tool for a session's model: none where it could begin no sub-agent, whatever ends meanwhile. */
export function spawnTools(world: SubagentWorld, parent: Session): readonly Tool[] {
  const { rules, models } = world;
  // How many are at work changes all the time, and would change the front of every prompt: that is told by a refusal.
  const canSpawn = rules.offersTool && models !== null && rules.maxChildren > 0 && depthOf(parent) < rules.maxDepth;
  if (!canSpawn || parent.view.key === null) return [];
  return [
    {
      name: spawnToolName,
      description,
      inputSchema,
      execute: async (input, { toolCallId, signal }) => {
        try {
          const options = optionsOf(input, signal);
          const { childKey } = await spawnChild(world, { parent, toolCallId }, options);
          const note = 'It is at work. Its result comes by itself: go on with something else, or end your turn.';
          return { type: 'json', value: { status: 'accepted', childKey, note } };
        } catch (error) {
          if (VarveError.is(error, 'VARVE_ABORTED') || !VarveError.is(error)) throw error;
          return refusal(error);
        }
      },
    },
  ];
}

/** What a model asks for. What it leaves out or gives as `null` is not given. */
function optionsOf(input: unknown, signal: AbortSignal | undefined): SpawnOptions {
  if (signal?.aborted === true) throw new VarveError('VARVE_ABORTED', 'The turn was aborted.', { fix: 'Ask again.' });
  const given = Object.entries(typeof input === 'object' && input !== null ? input : {});
  const known = given.filter(([name, value]) => Object.hasOwn(properties, name) && value !== null);
  const { timeoutSeconds, ...rest } = Object.fromEntries(known);
  const timeoutMs = timeoutSeconds === undefined ? {} : { timeoutMs: Number(timeoutSeconds) * 1_000 };
  // Whatever else is wrong with it is said by the check of the options.
  return { ...(rest as unknown as SpawnOptions), ...timeoutMs };
}

function refusal({ message, fix }: VarveError): ToolOutput {
  return { type: 'error-text', value: `No sub-agent has begun. ${message} ${fix}` };
}
