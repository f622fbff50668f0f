import { fromPi, type PiMessage, toPi } from '@varve/adapters/pi';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const text = fc.constantFrom('Hello', 'Look', '', 'Once more', '🦀');
const block = text.map((one) => ({ type: 'text', text: one }));
const image = fc.constant({ type: 'image', data: 'aGk=', mimeType: 'image/png' });
const thinking = fc.constant({ type: 'thinking', thinking: 'Hm.', thinkingSignature: 'abc' });

const userMessage = fc.record({ role: fc.constant('user'), content: fc.array(fc.oneof(block, image)) });
const assistantMessage = fc.record({
  role: fc.constant('assistant'),
  content: fc.array(fc.oneof(block, thinking)),
  api: fc.constant('anthropic-messages'),
  stopReason: fc.constantFrom('stop', 'aborted', 'length'),
});
const custom = fc.record({ role: fc.constant('custom'), content: text, customType: fc.constant('note') });
const bash = fc.record({ role: fc.constant('bashExecution'), command: text, output: text, exitCode: fc.nat(2) });
const branch = fc.record({ role: fc.constant('branchSummary'), summary: text, fromId: fc.constant('a') });
const called = fc.tuple(fc.uuid(), text).map(([id, said]) => [
  {
    role: 'assistant',
    content: [{ type: 'toolCall', id, name: 'read', arguments: { path: said } }],
    stopReason: 'toolUse',
  },
  { role: 'toolResult', toolCallId: id, toolName: 'read', content: [{ type: 'text', text: said }], isError: false },
]);
const single = fc.oneof(userMessage, assistantMessage, custom, bash, branch).map((one) => [one]);
const list: fc.Arbitrary<PiMessage[]> = fc.array(fc.oneof(single, called)).map((parts) => parts.flat());

describe('messages of pi', () => {
  it('come back as the objects that they are, whatever else they carry', () => {
    fc.assert(
      fc.property(list, (messages) => {
        const given = fromPi(messages);
        const back = toPi(
          given.map(({ message }) => message),
          { given },
        );
        expect(back).toHaveLength(messages.length);
        for (const one of back) expect(messages).toContain(one);
        expect(back.map((one) => JSON.stringify({ ...one }))).toEqual(messages.map((one) => JSON.stringify(one)));
      }),
    );
  });

  it('keep their place, their names and their signatures where a result was shortened', () => {
    const messages: PiMessage[] = [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'abc' },
          { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' }, thoughtSignature: 'xyz' },
        ],
      },
      { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [], isError: true, details: { lines: 3 } },
    ];
    const given = fromPi(messages);
    const part = {
      type: 'tool-result',
      toolCallId: 'c1',
      toolName: 'read',
      output: { type: 'text', value: '…' },
    } as const;
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: {} } as const;
    const reasoning = { type: 'reasoning', text: 'Hm.' } as const;
    const made = toPi(
      [
        { role: 'assistant', content: [reasoning, call, { type: 'text', text: 'So.' }] },
        { role: 'tool', content: [part] },
      ],
      { given },
    );
    expect(made).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'abc' },
          { type: 'toolCall', id: 'c1', name: 'read', arguments: {}, thoughtSignature: 'xyz' },
          { type: 'text', text: 'So.' },
        ],
      },
      {
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'read',
        content: [{ type: 'text', text: '…' }],
        isError: true,
        details: { lines: 3 },
        timestamp: 0,
      },
    ]);
  });

  it('leave out what no model is shown', () => {
    const hidden: PiMessage[] = [
      { role: 'bashExecution', command: 'ls', output: '', excludeFromContext: true },
      { role: 'compactionSummary', summary: 'Before.' },
      { role: 'of a later version', content: 'x' },
    ];
    expect(fromPi(hidden)).toEqual([]);
    const [taken] = fromPi(hidden, { summaries: 'take' });
    expect(taken).toMatchObject({
      message: { role: 'user', content: 'Before.' },
      provenance: { kind: 'system-event' },
    });
  });

  it('are made anew for an answer that no list has, with what is known of the model', () => {
    const [made] = toPi([{ role: 'assistant', content: 'Yes.' }], { model: { id: 'm', provider: 'p', api: 'a' } });
    expect(made).toMatchObject({ role: 'assistant', model: 'm', provider: 'p', api: 'a', stopReason: 'stop' });
  });
});
