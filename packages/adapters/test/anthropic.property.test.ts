import { type AnthropicBlock, type AnthropicRequest, toAnthropic } from '@varve/adapters/anthropic';
import type { Message, Prompt } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedMessages } from './closed-messages.ts';

const model = 'claude-test';
const caches = fc.constantFrom('5m' as const, '1h' as const, 'none' as const);

function promptOf(messages: readonly Message[], afterStable = 0): Pick<Prompt, 'system' | 'messages' | 'marks'> {
  return { system: [{ layer: 'system', text: 'Be brief.' }], messages, marks: { afterSystem: 1, afterStable } };
}

function blocksOf(body: AnthropicRequest): AnthropicBlock[] {
  return body.messages.flatMap((message) => message.content);
}

const isMarked = (block: AnthropicBlock) => 'cache_control' in block;

function withoutMark(block: AnthropicBlock): AnthropicBlock {
  const { cache_control: _, ...rest } = block as AnthropicBlock & { cache_control?: unknown };
  return rest as AnthropicBlock;
}

describe('the body for any messages that core makes', () => {
  it('alternates between user and assistant, from user', () => {
    fc.assert(
      fc.property(closedMessages, (messages) => {
        const roles = toAnthropic(promptOf(messages), { model }).messages.map(({ role }) => role);
        expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
        expect(roles.length).toBeGreaterThan(0);
      }),
    );
  });

  it('answers every call in full, first thing in the next message, and nothing else', () => {
    fc.assert(
      fc.property(closedMessages, (messages) => {
        const body = toAnthropic(promptOf(messages), { model });
        body.messages.forEach(({ content }, index) => {
          const results = content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
          const before = body.messages[index - 1]?.content ?? [];
          expect(results).toEqual(before.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
          expect(content.slice(0, results.length).every(({ type }) => type === 'tool_result')).toBe(true);
        });
        expect(body.messages.at(-1)?.content.some(({ type }) => type === 'tool_use')).toBe(false);
      }),
    );
  });

  it('has no empty message and no blank text', () => {
    fc.assert(
      fc.property(closedMessages, (messages) => {
        const body = toAnthropic(promptOf(messages), { model });
        for (const { content } of body.messages) expect(content.length).toBeGreaterThan(0);
        const blocks = blocksOf(body).flatMap((block) =>
          block.type === 'tool_result' && typeof block.content !== 'string' ? [block, ...block.content] : [block],
        );
        for (const block of blocks) if (block.type === 'text') expect(block.text.trim()).not.toBe('');
      }),
    );
  });

  it('ends neither in reasoning nor in white space of the assistant', () => {
    fc.assert(
      fc.property(closedMessages, (messages) => {
        const body = toAnthropic(promptOf(messages), { model });
        for (const { content } of body.messages) expect(content.at(-1)?.type).not.toContain('thinking');
        const last = body.messages.at(-1);
        const block = last?.content.at(-1);
        if (last?.role === 'assistant' && block?.type === 'text') expect(block.text).toBe(block.text.trimEnd());
      }),
    );
  });

  it('holds every id once, in accepted characters, and inputs that are objects', () => {
    fc.assert(
      fc.property(closedMessages, (messages) => {
        const calls = blocksOf(toAnthropic(promptOf(messages), { model })).filter((block) => block.type === 'tool_use');
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
        for (const { id, name, input } of calls) {
          expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
          expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
          expect(Object.prototype.toString.call(input)).toBe('[object Object]');
        }
      }),
    );
  });

  it('is valid Unicode', () => {
    fc.assert(
      fc.property(closedMessages, (messages) => {
        const strings: string[] = [];
        JSON.stringify(toAnthropic(promptOf(messages), { model }), (key, value: unknown) => {
          strings.push(key, ...(typeof value === 'string' ? [value] : []));
          return value;
        });
        for (const one of strings) expect(one).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });

  it('is the same every time, and leaves its input alone', () => {
    fc.assert(
      fc.property(closedMessages, caches, (messages, cache) => {
        const prompt = promptOf(messages, messages.length);
        const before = JSON.stringify(prompt);
        const body = JSON.stringify(toAnthropic(deepFrozen(prompt), { model, cache }));
        expect(JSON.stringify(toAnthropic(JSON.parse(before), { model, cache }))).toBe(body);
        expect(JSON.stringify(prompt)).toBe(before);
      }),
    );
  });

  it('differs by its marks alone when it is cached', () => {
    fc.assert(
      fc.property(closedMessages, fc.nat(10), (messages, afterStable) => {
        const marked = toAnthropic(promptOf(messages, afterStable), { model, cache: '1h' });
        const plain = toAnthropic(promptOf(messages, afterStable), { model, cache: 'none' });
        expect(blocksOf(marked).map(withoutMark)).toEqual(blocksOf(plain));
        expect(blocksOf(plain).some(isMarked)).toBe(false);
        expect(blocksOf(marked).filter(isMarked).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has the same blocks up to the mark, whatever follows the stable messages', () => {
    fc.assert(
      fc.property(closedMessages, closedMessages, (stable, rest) => {
        const renamed = JSON.parse(JSON.stringify(rest).replaceAll('"toolCallId":"', '"toolCallId":"rest-'));
        const upToMark = (messages: readonly Message[]) => {
          const blocks = blocksOf(toAnthropic(promptOf(messages, stable.length), { model }));
          const marked = blocks.slice(0, blocks.findIndex(isMarked) + 1);
          // The last text of a body that ends with the assistant loses its trailing white space.
          return marked.map((block) => (block.type === 'text' ? { ...block, text: block.text.trimEnd() } : block));
        };
        const alone = upToMark(stable);
        if (alone.length > 0) expect(upToMark([...stable, ...renamed])).toEqual(alone);
      }),
    );
  });
});

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}
