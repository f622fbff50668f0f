import type { AssistantMessage, ModelPort } from '@varve/core';

const tasks = ['Find the height of the tower.', 'Find the year of the bridge.'];

const results = ['The tower is 324 m high.', 'The bridge is from 1937.'];

/** A model that follows a script. `isSlow` says of a task that its answer never comes in this process. */
export function scriptedModel(isSlow: (task: string) => boolean): ModelPort {
  return {
    ref: { provider: 'example', model: 'scripted' },
    generate: async ({ prompt }) => {
      const said = JSON.stringify(prompt.messages);
      const task = tasks.find((text) => said.includes(`holds the whole result.\\n\\n${text}`));
      if (task !== undefined && isSlow(task)) await new Promise(() => undefined);
      const result = task === undefined ? null : results[tasks.indexOf(task)];
      return { message: result == null ? answer(said) : text(result), usage: null };
    },
  };
}

/** What the conversation itself says: it gives the tasks away, and tells what it has been told. */
function answer(said: string): AssistantMessage {
  if (!said.includes('accepted')) return calls();
  const known = results.filter((result) => said.includes(`> ${result}`));
  return text(known.length === 0 ? 'I have two sub-agents at work on it.' : `So far: ${known.join(' ')}`);
}

function calls(): AssistantMessage {
  const content = tasks.map((task, index) => ({
    type: 'tool-call' as const,
    toolCallId: `call-${index}`,
    toolName: 'sessions_spawn',
    input: { task },
  }));
  return { role: 'assistant', content, stop: 'tool-calls' };
}

function text(content: string): AssistantMessage {
  return { role: 'assistant', content, stop: 'stop' };
}
