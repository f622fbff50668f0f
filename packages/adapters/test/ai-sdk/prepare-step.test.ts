import { varveMiddleware, varvePrepareStep } from '@varve/adapters/ai-sdk';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { openTalk, pathOf } from '../message-list/talk.ts';
import { fakeLanguageModel, usageOf } from './fake-language-model.ts';

const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'read', input: '{"page":1}' };
const inputSchema = jsonSchema<{ page: number }>({ type: 'object', properties: { page: { type: 'number' } } });
const tools = { read: tool({ inputSchema, execute: ({ page }) => `page ${page}` }) };

describe('preparing the steps of generateText', () => {
  it('follows each step, and reports what the one before has cost', async () => {
    await using talk = await openTalk();
    const { model, calls } = fakeLanguageModel({
      reply: (number) => (number === 1 ? { content: [call], usage: usageOf(40) } : {}),
    });
    const prepareStep = varvePrepareStep({ session: talk.session, system: 'Be brief.' });
    const { text } = await generateText({
      ...{ model, tools, system: 'Be brief.', prompt: 'Read.', prepareStep, stopWhen: stepCountIs(3) },
    });
    expect(text).toBe('hi');
    expect(pathOf(talk.session)).toEqual(['user: Read.', 'assistant: calls c1', 'tool: c1 gave page 1']);
    expect(talk.session.view.messages()[1]).toMatchObject({ usage: { inputTokens: 40 } });
    expect(calls.map(({ prompt }) => prompt.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ]);
  });

  it('puts what others have said into the step', async () => {
    await using talk = await openTalk();
    const { model, calls } = fakeLanguageModel();
    await talk.session.ingest({ role: 'user', content: 'A report.' }, { provenance: { kind: 'subagent' } });
    const messages: ModelMessage[] = [{ role: 'user', content: 'Well?' }];
    await generateText({ model, messages, prepareStep: varvePrepareStep({ session: talk.session }) });
    expect(JSON.stringify(calls[0]?.prompt)).toContain('A report.');
  });

  it('stands aside for nothing else: a middleware leaves its steps alone', async () => {
    await using talk = await openTalk();
    const { model } = fakeLanguageModel();
    const wrapped = wrapLanguageModel({ model, middleware: varveMiddleware({ session: talk.session }) });
    await generateText({ model: wrapped, prompt: 'hello', prepareStep: varvePrepareStep({ session: talk.session }) });
    expect(pathOf(talk.session)).toEqual(['user: hello']);
  });

  it('refuses a model of another version, and needs a session', async () => {
    await using talk = await openTalk();
    const prepare = varvePrepareStep({ session: talk.session });
    const step = { messages: [], steps: [], model: { specificationVersion: 'v4', modelId: 'm' } };
    await expect(prepare(step)).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
    expect(() => varvePrepareStep({} as never)).toThrow(expect.objectContaining({ code: 'VARVE_OPTION_INVALID' }));
  });
});
