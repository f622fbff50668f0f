import { anthropicModel, toAnthropic } from '@varve/adapters/anthropic';
import { openaiChatModel, openaiResponsesModel, toOpenAIChat, toOpenAIResponses } from '@varve/adapters/openai';
import { checkAnthropicRequest, checkOpenAIResponsesRequest } from '@varve/adapters/provider-rules';
import type { ModelPort } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { describe, expect, it } from 'vitest';
import { exchanges, user, words } from './messages.ts';
import { openTalk, type Talk } from './open-talk.ts';
import { readTool } from './scripted-port.ts';

interface Block {
  readonly type: string;
  readonly input?: unknown;
  readonly [field: string]: unknown;
}
interface Body {
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

/** A Messages API that answers by a function, and what it was sent. */
function messagesApi(answer: (n: number) => readonly Block[]): {
  readonly bodies: readonly Body[];
  readonly port: ModelPort;
} {
  const bodies: Body[] = [];
  const create = async (body: unknown): Promise<unknown> => {
    const events = streamOf(answer(bodies.length));
    bodies.push(structuredClone(body) as Body);
    return events;
  };
  return { bodies, port: anthropicModel({ messages: { create } } as never, { model: 'm', cache: 'none' }) };
}

/** Whole blocks, each as it begins: nothing has to be added to them. */
async function* streamOf(blocks: readonly Block[]): AsyncGenerator<unknown> {
  yield { type: 'message_start', message: { usage: { input_tokens: 0, output_tokens: 0 } } };
  for (const [index, block] of blocks.entries()) {
    const isUse = block.type === 'tool_use';
    yield { type: 'content_block_start', index, content_block: isUse ? { ...block, input: {} } : block };
    const partial_json = JSON.stringify(block.input);
    if (isUse) yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    yield { type: 'content_block_stop', index };
  }
  const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  yield { type: 'message_delta', delta: { stop_reason } };
  yield { type: 'message_stop' };
}

const thought = (n: number): Block => ({ type: 'thinking', thinking: `Step ${n}: read on.`, signature: `sig-${n}==` });
const use = (n: number): Block => ({ type: 'tool_use', id: `toolu_${n}`, name: 'read', input: { path: `core-${n}` } });
const text = (value: string): Block => ({ type: 'text', text: value });

async function openPruned(): Promise<Talk> {
  const plugins = [
    ttlPruning({ ttl: 0, keepLastAssistants: 1, minPrunableToolChars: 0, softTrimRatio: 0, hardClearRatio: 0 }),
    summaryCompaction({ maskToolResultsAfterAssistants: 0 }),
  ];
  const talk = await openTalk({ plugins, budget: { inputTokens: 4_000 } });
  await talk.say(...exchanges('Old', 6, 100));
  return talk;
}

const read = readTool((id) => words(`Content of ${id}`, 700));

describe('signed thinking in a loop of tools', () => {
  it('goes back byte for byte, with all of its answer, however often the rest is pruned and compacted', async () => {
    const answers = Array.from({ length: 12 }, (_, n) => [thought(n), text(`I read ${n}.`), use(n)]);
    const { bodies, port } = messagesApi((n) => answers[n] ?? [text('Done.')]);
    await using talk = await openPruned();
    const record = await talk.session.turn({ message: user('Read all cores.'), model: port, tools: [read] });
    expect(record.text).toBe('Done.');
    expect(talk.session.info().counters.compactions).toBeGreaterThan(1);
    for (const [n, body] of bodies.entries()) {
      expect(checkAnthropicRequest(body)).toEqual([]);
      if (n === 0) continue;
      const last = body.messages.findLast(({ role }) => role === 'assistant');
      expect(JSON.stringify(last?.content.slice(-3))).toBe(JSON.stringify(answers[n - 1]));
    }
  });

  it('never goes back empty or unsigned, also where it is the newest', async () => {
    const empty: Block = { type: 'thinking', thinking: '', signature: '' };
    const unsigned: Block = { type: 'thinking', thinking: 'An unsigned thought.' };
    const { bodies, port } = messagesApi((n) => (n < 4 ? [n % 2 === 0 ? empty : unsigned, use(n)] : [text('Done.')]));
    await using talk = await openPruned();
    expect((await talk.session.turn({ message: user('Read.'), model: port, tools: [read] })).text).toBe('Done.');
    expect(bodies).toHaveLength(5);
    for (const body of bodies) {
      expect(checkAnthropicRequest(body)).toEqual([]);
      expect(JSON.stringify(body)).not.toMatch(/"thinking"|unsigned thought/);
    }
  });
});

describe('thinking of another provider', () => {
  it('is said to nobody as text, whoever is asked next', async () => {
    const secret = { anthropic: 'A thought of the first.', chat: 'A thought of the second.', responses: 'A third.' };
    const messages = messagesApi(() => [
      { type: 'thinking', thinking: secret.anthropic, signature: 'sig' },
      text('From the Messages API.'),
    ]);
    const chat = openaiChatModel(
      {
        chat: {
          completions: {
            create: async () => ({
              choices: [
                { finish_reason: 'stop', message: { content: 'From a chat server.', reasoning_content: secret.chat } },
              ],
            }),
          },
        },
      } as never,
      { model: 'm' },
    );
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: secret.responses }] };
    const said = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'From Responses.' }] };
    const responses = openaiResponsesModel(
      {
        responses: {
          create: async () => ({ status: 'completed', output: [{ ...reasoning, encrypted_content: 'sealed' }, said] }),
        },
      } as never,
      { model: 'm' },
    );
    await using talk = await openTalk();
    for (const [n, model] of [messages.port, chat, responses].entries()) {
      await talk.session.turn({ message: user(`Question ${n}?`), model });
    }
    await talk.say(user('And now?'));
    const prompt = await talk.ask();
    const sent = {
      anthropic: JSON.stringify(toAnthropic(prompt, { model: 'm' })),
      chat: JSON.stringify(toOpenAIChat(prompt, { model: 'm' })),
      responses: JSON.stringify(toOpenAIResponses(prompt, { model: 'm' })),
    };
    for (const [to, body] of Object.entries(sent)) {
      for (const [from, thinking] of Object.entries(secret)) {
        if (from !== to) expect(body, `from ${from} to ${to}`).not.toContain(thinking);
      }
      expect(body).toContain('From a chat server.');
    }
    expect(sent.anthropic).toContain(`"thinking":"${secret.anthropic}","signature":"sig"`);
    expect(sent.responses).toContain('"encrypted_content":"sealed"');
  });
});

describe('an item of reasoning', () => {
  it('is sent once, although its id comes again and a compaction lies between', async () => {
    let n = 0;
    const create = async (): Promise<unknown> => {
      n += 1;
      const reasoning = { type: 'reasoning', id: `rs_${n % 3}`, summary: [], encrypted_content: `sealed-${n % 3}` };
      const content = [{ type: 'output_text', text: words(`Answer ${n}`, 150) }];
      return { status: 'completed', output: [reasoning, { type: 'message', id: `msg_${n % 3}`, content }] };
    };
    const port = openaiResponsesModel({ responses: { create } } as never, { model: 'm' });
    const plugins = [summaryCompaction()];
    await using talk = await openTalk({ plugins, budget: { inputTokens: 2_000 } });
    for (let turn = 0; turn < 24; turn += 1) {
      await talk.session.turn({ message: user(`Question ${turn}?`), model: port });
      const prompt = await talk.ask();
      const body = toOpenAIResponses(prompt, { model: 'm' });
      expect(checkOpenAIResponsesRequest(body)).toEqual([]);
      const ids = body.input.flatMap((item) => ('id' in item && item.id !== undefined ? [item.id] : []));
      expect(new Set(ids).size).toBe(ids.length);
    }
    expect(talk.session.info().counters.compactions).toBeGreaterThan(0);
  });
});
