import { readTranscript } from '@varve/adapters/transcripts';
import { describe, expect, it } from 'vitest';
import { allOf, inFile, kindsOf, messagesOf, recordsIn } from './in-file.ts';
import {
  miniMessages,
  sweAgentCalls,
  sweAgentRow,
  sweAgentText,
  tauTrial,
  textActions,
} from './sample-conversations.ts';

/** Who said each message: the role, and where it came from when the role does not tell. */
async function speakersIn(value: unknown): Promise<string[]> {
  return messagesOf(await recordsIn(JSON.stringify(value))).map(({ message: { role }, provenance }) => {
    return provenance === undefined ? role : `${role} (${provenance.kind})`;
  });
}

describe('a trajectory of SWE-agent', () => {
  it('has observations behind the first answer, and shows its demonstration', async () => {
    expect(await speakersIn(sweAgentText)).toEqual([
      ...['system', 'user (system-event)', 'user', 'assistant', 'user (tool)', 'assistant'],
    ]);
    const messages = messagesOf(await recordsIn(JSON.stringify(sweAgentText)));
    expect(messages[3]).toMatchObject({
      key: 'message:4',
      line: 4,
      call: {},
      message: { content: [{ type: 'text', text: 'I look.\n```\nls\n```' }] },
    });
  });

  it('pairs calls with results, whose ids stand in a list', async () => {
    const messages = messagesOf(await recordsIn(JSON.stringify(sweAgentCalls)));
    expect(messages.map(({ message }) => message.role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(messages[2]?.message.content).toEqual([
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'bash', input: { command: 'ls' } },
    ]);
    expect(messages[3]?.message.content).toMatchObject([{ toolCallId: 'call_1', toolName: 'bash' }]);
  });

  it('may be a row of a data set', async () => {
    const transcript = await readTranscript(await inFile(JSON.stringify([sweAgentRow])));
    const records = await allOf(transcript.records());
    expect(records[0]).toMatchObject({ kind: 'item', title: 'varve__varve-1' });
    expect(messagesOf(records).at(-1)?.call).toEqual({ model: 'llama-test' });
    expect(await speakersIn([sweAgentRow])).toEqual(['system', 'user', 'assistant', 'user (tool)', 'assistant']);
  });

  it('is put together from its steps where it has no history', async () => {
    const { history, trajectory } = sweAgentText;
    const query = history.filter(({ role }) => role !== 'assistant').slice(0, 3);
    const steps = trajectory.map((step, index) => (index === 0 ? { ...step, query } : step));
    const records = await recordsIn(JSON.stringify({ trajectory: [...steps, 7] }));
    expect(kindsOf(records)).toEqual([
      ...['system', 'user', 'user', 'assistant', 'user', 'assistant', 'user', 'unknown number'],
    ]);
    expect(messagesOf(records).map(({ key, provenance }) => [key, provenance?.kind])).toEqual([
      ['query:1', undefined],
      ['query:2', 'system-event'],
      ['query:3', undefined],
      ['message:1', undefined],
      ['message:1.2', 'tool'],
      ['message:2', undefined],
      ['message:2.2', 'tool'],
    ]);
    expect(await speakersIn({ trajectory })).toEqual(['assistant', 'user (tool)', 'assistant', 'user (tool)']);
  });

  it('calls no model for the answers of a demonstration', async () => {
    const history = sweAgentText.history.map((message, index) => (index < 5 ? { ...message, is_demo: true } : message));
    const messages = messagesOf(await recordsIn(JSON.stringify({ history })));
    expect(messages.map(({ call }) => call !== undefined)).toEqual([false, false, false, false, false, true]);
  });
});

describe('a trajectory of mini-swe-agent', () => {
  it.each([
    ['a list', miniMessages],
    ['an object', { trajectory_format: 'mini-swe-agent-1.1', messages: miniMessages }],
  ])('has observations behind the first answer: %s', async (_, value) => {
    expect(await speakersIn(value)).toEqual([
      ...['system', 'user', 'assistant', 'user (tool)', 'assistant', 'user (tool)'],
    ]);
  });

  it('may have calls, times and an ending that is no message', async () => {
    const [system, task] = miniMessages;
    const call = { id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } };
    const messages = [
      system,
      task,
      { role: 'assistant', content: 'I look.', tool_calls: [call], extra: { timestamp: 1_700_000_000.5 } },
      { role: 'tool', tool_call_id: 'a', content: 'a.py' },
      { role: 'exit', content: 'done' },
    ];
    const info = { config: { model: { model_name: 'claude-test' } } };
    const records = await recordsIn(JSON.stringify({ trajectory_format: 'mini-swe-agent-1.1', info, messages }));
    expect(kindsOf(records)).toEqual(['system', 'user', 'assistant', 'tool', 'unknown object']);
    expect(messagesOf(records)[2]).toMatchObject({ at: 1_700_000_000_500, call: { model: 'claude-test' } });
  });
});

describe('trials of tau-bench', () => {
  it('are conversations one after the other, named after their tasks', async () => {
    const transcript = await readTranscript(await inFile(JSON.stringify([tauTrial, { ...tauTrial, trial: 2 }])));
    expect(transcript).toMatchObject({ format: 'tau-bench', items: 2 });
    const records = await allOf(transcript.records());
    expect(records.flatMap((record) => (record.kind === 'item' ? [record.title] : []))).toEqual([
      'task 3, trial 1',
      'task 3, trial 2',
    ]);
    expect(kindsOf(records).slice(0, 6)).toEqual(['item', 'system', 'user', 'assistant', 'tool', 'assistant']);
  });
});

describe('a conversation with actions in text', () => {
  it('has an observation behind each action, and what the user says behind other answers', async () => {
    expect(await speakersIn(textActions)).toEqual([
      ...['system', 'user', 'assistant', 'user (tool)', 'assistant', 'user', 'assistant', 'user (tool)'],
    ]);
  });

  it('is one of OpenAI where a user speaks of functions', async () => {
    const messages = [
      { role: 'user', content: '<function=bash>' },
      { role: 'assistant', content: 'What?' },
      { role: 'user', content: 'OBSERVATION: nothing.' },
    ];
    expect((await readTranscript(await inFile(JSON.stringify(messages)))).format).toBe('openai-messages');
  });
});
