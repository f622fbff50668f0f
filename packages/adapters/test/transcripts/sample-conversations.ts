import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf } from './in-file.ts';

const timestamp = '2026-03-13T09:00:00.000Z';

/** A session of pi, recorded with version 0.73.1 and a model that answers by rote. It goes back twice. */
export const piTree = readFileSync(join(import.meta.dirname, 'fixtures/pi-v3.jsonl'), 'utf8');

/** A session of OpenClaw, with the lines that it adds to pi's. */
export const openClaw = linesOf(
  { type: 'session', version: 3, id: 's', timestamp, cwd: '/home/dev/varve' },
  { type: 'model_change', id: 'a1', parentId: null, timestamp, provider: 'anthropic', modelId: 'claude-test' },
  {
    type: 'custom',
    customType: 'model-snapshot',
    id: 'a2',
    parentId: 'a1',
    timestamp,
    data: { modelId: 'claude-test' },
  },
  openClawMessage('a3', 'a2', {
    role: 'user',
    content: [{ type: 'text', text: 'When does the shop open?' }],
    provenance: { kind: 'external_user', sourceChannel: 'telegram' },
  }),
  openClawMessage('a4', 'a3', {
    role: 'assistant',
    content: [{ type: 'toolCall', id: 'call_1', name: 'hours', arguments: {} }],
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-test',
    usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 },
    stopReason: 'toolUse',
  }),
  openClawMessage('a5', 'a4', {
    role: 'toolResult',
    toolCallId: 'call_1',
    toolName: 'hours',
    content: [{ type: 'text', text: 'at nine' }],
    isError: false,
  }),
  openClawMessage('a6', 'a5', {
    role: 'assistant',
    content: [{ type: 'text', text: 'At nine.' }],
    api: 'openai-responses',
    provider: 'openclaw',
    model: 'delivery-mirror',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    stopReason: 'stop',
  }),
  { type: 'custom', customType: 'openclaw.cache-ttl', id: 'a7', parentId: 'a6', timestamp, data: { timestamp: 1 } },
  openClawMessage('a8', 'a7', {
    role: 'user',
    content: 'The report is done.',
    provenance: { kind: 'inter_session', sourceSessionKey: 'agent:main:subagent:x', sourceTool: 'sessions_send' },
  }),
  openClawMessage('a9', 'a8', {
    role: 'user',
    content: 'Heartbeat.',
    provenance: { kind: 'internal_system' },
  }),
  {
    type: 'custom_message',
    customType: 'note',
    content: 'Noted.',
    display: false,
    id: 'aa',
    parentId: 'a9',
    timestamp,
  },
  openClawMessage('ab', 'aa', {
    role: 'assistant',
    content: [{ type: 'text', text: 'NO_REPLY' }],
    provider: 'anthropic',
    model: 'claude-test',
    stopReason: 'stop',
  }),
);

function openClawMessage(id: string, parentId: string, message: object): object {
  return { type: 'message', id, parentId, timestamp, message };
}

/** One message a line, with the result of a tool on the line of its call. */
export const flatLines = linesOf(
  { role: 'user', content: 'How is the weather?', timestamp: 1_000 },
  { role: 'tool', name: 'weather', input: { city: 'Basel' }, output: 'rain', timestamp: 2_000 },
  { role: 'assistant', content: 'It rains.', model: 'claude-test', timestamp: 3_000 },
);

/** A tree whose lines are messages, calls and results. */
export const typedLines = linesOf(
  { type: 'user', id: 'u1', parentId: null, content: 'Read both.', timestamp: 1_000 },
  { type: 'assistant', id: 'b1', parentId: 'u1', content: 'I will not.', model: 'claude-test', timestamp: 2_000 },
  { type: 'assistant', id: 'b2', parentId: 'u1', content: 'I read.', model: 'claude-test', timestamp: 3_000 },
  { type: 'tool_use', id: 'c1', parentId: 'b2', name: 'read', input: { path: 'a' }, timestamp: 4_000 },
  { type: 'tool_use', id: 'c2', parentId: 'c1', name: 'read', input: { path: 'b' }, timestamp: 5_000 },
  { type: 'tool_result', id: 'd1', parentId: 'c2', output: 'A', timestamp: 6_000 },
  { type: 'tool_result', id: 'd2', parentId: 'd1', output: { lines: 2 }, timestamp: 7_000 },
  { type: 'assistant', id: 'b3', parentId: 'd2', content: 'Done.', model: 'claude-test', timestamp: 8_000 },
);

/** Messages in the form of Anthropic. */
export const anthropicConversation = [
  { role: 'user', content: 'Read it.' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I read.' },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And be quick.' },
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'A' },
    ],
  },
  { role: 'assistant', content: 'Done.' },
] as const;

/** A trajectory of SWE-agent whose model acts in text, with a demonstration. */
export const sweAgentText = {
  environment: 'swe_main',
  trajectory: [
    { action: 'ls', observation: 'a.py', response: 'I look.\n```\nls\n```', thought: 'I look.', state: '{}' },
    { action: 'submit', observation: '', response: 'Done.\n```\nsubmit\n```', thought: 'Done.', state: '{}' },
  ],
  history: [
    { role: 'system', content: 'You are an engineer.', agent: 'main' },
    { role: 'user', content: 'Here is how it is done.', agent: 'main', is_demo: true },
    { role: 'user', content: 'Fix the bug.', agent: 'main' },
    { role: 'assistant', content: 'I look.\n```\nls\n```', thought: 'I look.', action: 'ls', agent: 'main' },
    { role: 'user', content: 'a.py', agent: 'main' },
    { role: 'assistant', content: 'Done.\n```\nsubmit\n```', thought: 'Done.', action: 'submit', agent: 'main' },
  ],
  info: { exit_status: 'submitted' },
};

/** A trajectory of SWE-agent whose model calls functions. */
export const sweAgentCalls = {
  history: [
    { role: 'system', content: 'You are an engineer.', agent: 'main', message_type: 'system_prompt' },
    { role: 'user', content: 'Fix the bug.', agent: 'main', message_type: 'observation' },
    {
      role: 'assistant',
      content: 'I look.',
      thought: 'I look.',
      action: 'ls',
      agent: 'main',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
      message_type: 'action',
    },
    { role: 'tool', content: 'a.py', agent: 'main', message_type: 'observation', tool_call_ids: ['call_1'] },
  ],
};

/** A row of a data set of trajectories of SWE-agent. */
export const sweAgentRow = {
  instance_id: 'varve__varve-1',
  model_name: 'llama-test',
  trajectory: [
    { role: 'system', system_prompt: 'You are an engineer.', text: null, mask: false },
    { role: 'user', system_prompt: null, text: 'Fix the bug.', mask: false },
    { role: 'ai', system_prompt: null, text: 'I look.\n```\nls\n```', mask: true },
    { role: 'user', system_prompt: null, text: 'a.py', mask: false },
    { role: 'ai', system_prompt: null, text: 'Done.\n```\nsubmit\n```', mask: true },
  ],
};

/** A trajectory of mini-swe-agent. */
export const miniMessages = [
  { role: 'system', content: 'You have a shell.' },
  { role: 'user', content: 'Fix the bug.' },
  { role: 'assistant', content: 'I look.\n```mswea_bash_command\nls\n```' },
  { role: 'user', content: '<returncode>0</returncode>\n<output>\na.py\n</output>' },
  { role: 'assistant', content: 'Done.\n```mswea_bash_command\nsubmit\n```' },
  { role: 'user', content: '' },
];

/** A trial of tau-bench. */
export const tauTrial = {
  task_id: 3,
  trial: 1,
  reward: 1,
  info: { task: { user_id: 'u' } },
  traj: [
    { role: 'system', content: 'You help travellers.' },
    { role: 'user', content: 'Where is my bag?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'find_bag', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', name: 'find_bag', content: 'in Oslo' },
    { role: 'assistant', content: 'In Oslo.' },
  ],
};

/** A conversation of SWE-smith, whose model calls functions within its text. */
export const textActions = {
  id: 'varve-1',
  model: 'claude-test',
  messages: [
    { role: 'system', content: 'You have a shell.' },
    { role: 'user', content: 'Fix the bug.' },
    { role: 'assistant', content: 'I look.\n\n<function=bash>\n<parameter=command>ls</parameter>\n</function>' },
    { role: 'user', content: 'OBSERVATION:\na.py' },
    { role: 'assistant', content: 'Shall I go on?' },
    { role: 'user', content: 'Yes, do.' },
    { role: 'assistant', content: '<function=submit>\n</function>' },
    { role: 'user', content: 'Your command ran successfully.' },
  ],
};
