import type { TranscriptFormat } from '@varve/adapters/transcripts';
import { linesOf } from './in-file.ts';
import {
  anthropicConversation,
  flatLines,
  miniMessages,
  openClaw,
  piTree,
  sweAgentCalls,
  sweAgentRow,
  sweAgentText,
  tauTrial,
  textActions,
  typedLines,
} from './sample-conversations.ts';

/** A small file of each kind that can be read. */
export interface Sample {
  readonly what: string;
  readonly format: TranscriptFormat;
  readonly content: string;
  /** Conversations in it; `null` where only reading it tells. */
  readonly items: number | null;
  /** Answers of a model in it. */
  readonly calls: number;
}

const timestamp = '2026-03-13T09:00:00.000Z';

const plainMessages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello.' },
  { role: 'assistant', content: 'Hello.' },
];

const openAiCall = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };
const openAiMessages = [...plainMessages, { role: 'assistant', content: null, tool_calls: [openAiCall] }];
const body = { model: 'claude-test', system: [{ type: 'text', text: 'Be brief.' }], messages: anthropicConversation };
const claudeLine = { uuid: 'u', sessionId: 's', isSidechain: false, timestamp };

const samples: [what: string, format: TranscriptFormat, content: string, items: number | null, calls: number][] = [
  ['pi, version 1', 'pi', linesOf({ type: 'session', id: 's', cwd: '/' }, piV1('user'), piV1('assistant')), 1, 1],
  ['pi, version 3', 'pi', piTree, 1, 7],
  ['OpenClaw', 'pi', openClaw, 1, 2],
  ['flat lines', 'flat-lines', flatLines, 1, 2],
  ['flat lines without a tool', 'flat-lines', linesOf({ role: 'user', content: 'x', timestamp: 1 }), 1, 0],
  ['typed lines', 'typed-lines', typedLines, 1, 2],
  [
    'Claude Code',
    'claude-code',
    linesOf(
      { type: 'user', ...claudeLine, parentUuid: null, message: { role: 'user', content: 'Hello.' } },
      { type: 'assistant', ...claudeLine, parentUuid: 'u', message: { id: 'm', role: 'assistant', content: 'Hello.' } },
    ),
    1,
    1,
  ],
  ['OpenAI, an array', 'openai-messages', JSON.stringify(openAiMessages), 1, 2],
  ['OpenAI, plain', 'openai-messages', JSON.stringify(plainMessages), 1, 1],
  ['OpenAI, a body', 'openai-messages', JSON.stringify({ model: 'x', messages: openAiMessages }, null, 2), 1, 2],
  ['OpenAI, lines', 'openai-messages', linesOf(...openAiMessages), 1, 2],
  [
    'OpenAI, lines with the time as text',
    'openai-messages',
    linesOf(...plainMessages.map((message) => ({ ...message, timestamp }))),
    1,
    1,
  ],
  [
    'OpenAI, a conversation a line',
    'openai-messages',
    linesOf({ messages: openAiMessages }, { messages: plainMessages }),
    null,
    3,
  ],
  ['Anthropic, an array', 'anthropic-messages', JSON.stringify(anthropicConversation), 1, 2],
  ['Anthropic, a body', 'anthropic-messages', JSON.stringify(body, null, 2), 1, 2],
  ['Anthropic, lines', 'anthropic-messages', linesOf(...anthropicConversation), 1, 2],
  ['Anthropic, a body a line', 'anthropic-messages', linesOf(body, body), null, 4],
  ['SWE-agent, in text', 'swe-agent', JSON.stringify(sweAgentText, null, 2), 1, 2],
  ['SWE-agent, in text, on one line', 'swe-agent', JSON.stringify(sweAgentText), 1, 2],
  ['SWE-agent, with calls', 'swe-agent', JSON.stringify(sweAgentCalls, null, 2), 1, 1],
  ['SWE-agent, rows', 'swe-agent', JSON.stringify([sweAgentRow, sweAgentRow]), 2, 4],
  ['SWE-agent, a row a line', 'swe-agent', linesOf(sweAgentRow, sweAgentRow), null, 4],
  ['mini-swe-agent, an array', 'mini-swe-agent', JSON.stringify(miniMessages), 1, 2],
  [
    'mini-swe-agent, an object',
    'mini-swe-agent',
    JSON.stringify({ info: {}, messages: miniMessages, trajectory_format: 'mini-swe-agent-1' }, null, 2),
    1,
    2,
  ],
  ['tau-bench', 'tau-bench', JSON.stringify([tauTrial, tauTrial, tauTrial], null, 2), 3, 6],
  ['actions in text', 'text-actions', JSON.stringify([textActions, textActions]), 2, 6],
];

function piV1(role: string): object {
  return { type: 'message', timestamp, message: { role, content: [{ type: 'text', text: 'Hello.' }] } };
}

/** Every sample. */
export const allSamples: readonly Sample[] = samples.map(([what, format, content, items, calls]) => {
  return { what, format, content, items, calls };
});
