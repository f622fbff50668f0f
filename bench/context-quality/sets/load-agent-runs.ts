import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Foreign, parsedArguments, readJson, textOfBlocks } from './read-json.ts';
import { makeTrajectory, makeTurn, pairTurns, type Trajectory, type Turn } from './trajectory.ts';

/** Conversations with the airline of tau-bench, first trial of each task, in OpenAI's format. */
export function loadTau(folder: string, set: string): readonly Trajectory[] {
  const runs: Foreign[] = readJson(join(folder, 'gpt-4o-airline.json'));
  return runs
    .filter(({ trial }) => trial === 0)
    .map((run) => makeTrajectory({ id: `task-${run.task_id}`, set }, pairTurns(openAiTurns(run.traj))));
}

/** OpenHands on tasks that were made up: the longest of the sample files. */
export function loadSwePlay(folder: string, set: string): readonly Trajectory[] {
  const runs: Foreign[] = readJson(join(folder, 'swe-play-trajectories.sample_raw.json'));
  return runs.map((run, index) => makeTrajectory({ id: `swe-play-${index}`, set }, textToolTurns(run.messages)));
}

/** Short runs of three agents on tasks of SWE-bench's kind. */
export function loadSweShort(data: string, set: string): readonly Trajectory[] {
  const samples = join(data, 'agent-data-protocol');
  const open = (name: string): Foreign[] => readJson(join(samples, `${name}.sample_raw.json`));
  const gym = open('swe-gym_openhands_sampled_trajectories').map(({ messages }) => pairTurns(openAiTurns(messages)));
  const smith = open('swe-smith').map(({ messages }) => textToolTurns(messages));
  const nebius = open('nebius_SWE-agent-trajectories').map(({ trajectory }) => textToolTurns(trajectory));
  const agent = join(data, 'swe-agent');
  const demonstrations = readdirSync(agent)
    .filter((name) => name.endsWith('.traj') && !name.startsWith('replay__'))
    .map((name) => textToolTurns(readJson(join(agent, name)).history ?? []));
  return [...gym, ...smith, ...nebius, ...demonstrations]
    .filter((turns) => turns.length > 4)
    .map((turns, index) => makeTrajectory({ id: `swe-${index}`, set }, turns));
}

function openAiTurns(messages: readonly Foreign[]): readonly Turn[] {
  return messages.flatMap((message): readonly Turn[] => {
    const text = textOfBlocks(message.content);
    if (message.role === 'system') return [];
    if (message.role === 'tool') return [makeTurn('tool', text, { callId: message.tool_call_id })];
    if (message.role !== 'assistant') return [makeTurn('user', text)];
    const calls = ((message.tool_calls ?? []) as Foreign[]).map(({ id, function: called }) => ({
      id,
      name: called.name,
      input: parsedArguments(called.arguments),
    }));
    return [makeTurn('assistant', text, { calls })];
  });
}

/** Agents that call tools in plain text: what follows an answer is the result of a call without arguments. */
function textToolTurns(messages: readonly Foreign[]): readonly Turn[] {
  const spoken = messages.filter(({ role }) => role !== 'system');
  const turns = spoken.flatMap((message, index): readonly Turn[] => {
    const text = typeof message.text === 'string' ? message.text : textOfBlocks(message.content);
    const isAnswer = message.role === 'assistant' || message.role === 'ai';
    const next = spoken[index + 1];
    if (isAnswer) {
      const isFollowed = next !== undefined && next.role !== 'assistant' && next.role !== 'ai';
      const calls = isFollowed ? [{ id: `call_${index}`, name: 'run', input: {} }] : [];
      return [makeTurn('assistant', text, { calls })];
    }
    const before = spoken[index - 1];
    const isResult = before !== undefined && (before.role === 'assistant' || before.role === 'ai');
    return [isResult ? makeTurn('tool', text, { callId: `call_${index - 1}` }) : makeTurn('user', text)];
  });
  return pairTurns(turns);
}
