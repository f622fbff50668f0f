import type { Message, MessagePart, ModelReply } from '@varve/core';
import type { AdapterPrompt, AdapterSubject } from '@varve/testkit';
import { anthropicAdapter as sound } from '../subjects/shipped-adapters.ts';
import type { Mutant } from './mutant.ts';

type Fields = { readonly [field: string]: unknown };
interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly content?: unknown;
  readonly id?: unknown;
  readonly tool_use_id?: unknown;
  readonly is_error?: unknown;
}
interface Body {
  readonly [field: string]: unknown;
  readonly system?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly tools?: readonly Fields[];
}

type Fails = string | readonly [string, ...string[]];

function mutant(name: string, fails: Fails, changes: Partial<AdapterSubject>): Mutant<AdapterSubject> {
  const [first = '', ...also] = typeof fails === 'string' ? [fails] : fails;
  return { name, fails: first, also, open: () => ({ ...sound, ...changes }) };
}

/** A mutant that changes the bodies. */
function inBody(name: string, fails: Fails, change: (body: Body, prompt: AdapterPrompt) => unknown) {
  return mutant(name, fails, { to: (prompt, options) => change(sound.to(prompt, options) as Body, prompt) });
}

/** A mutant that changes the prompts before bodies are made of them. */
function inPrompt(name: string, fails: Fails, change: (messages: readonly Message[]) => readonly Message[]) {
  return mutant(name, fails, {
    to: (prompt, options) => sound.to({ ...prompt, messages: change(prompt.messages) }, options),
  });
}

/** A mutant that changes the parts of messages. */
function inParts(name: string, fails: Fails, change: (part: MessagePart, message: Message) => readonly MessagePart[]) {
  return inPrompt(name, fails, (messages) =>
    messages.map((message) =>
      typeof message.content === 'string'
        ? message
        : ({ ...message, content: message.content.flatMap((part) => change(part, message)) } as Message),
    ),
  );
}

/** A mutant that changes what was read. */
function inReply(name: string, fails: Fails, change: (reply: ModelReply) => ModelReply) {
  return mutant(name, fails, { from: (answer, options) => change(sound.from(answer, options)) });
}

function inRead(name: string, fails: Fails, change: (part: MessagePart) => readonly MessagePart[]) {
  return inReply(name, fails, ({ message, usage }) => {
    const content = (message.content as readonly MessagePart[]).flatMap(change);
    return { message: { ...message, content } as typeof message, usage };
  });
}

/** What a part keeps for the provider. */
function keptBy({ providerOptions = {} }: MessagePart): { readonly signature?: unknown; readonly block?: unknown } {
  const { anthropic = {} } = providerOptions;
  return anthropic;
}

function inBlocks(body: Body, change: (block: Block) => readonly Block[]): Body {
  return { ...body, messages: body.messages.map((one) => ({ ...one, content: one.content.flatMap(change) })) };
}

const everything = 'makes bodies that the provider takes of all that core assembles';
const once = 'sends everything that was said, and once';
const order = 'keeps the order of what was said';
const front = 'puts instructions in front, in their order';
const grows = 'makes bodies that only grow at their end';
const ids = 'makes ids of calls that the provider takes, and keeps them apart';
const back = 'sends an answer back as the model said it';

const ofBodies: readonly Mutant<AdapterSubject>[] = [
  (() => {
    let made = 0;
    return inBody('numbers its bodies', ['makes the same body of the same prompt', grows], (body) => {
      made += 1;
      return { ...body, metadata: { user_id: `call ${made}` } };
    });
  })(),
  mutant('sorts the layers of the prompt it is given', 'leaves the prompt as it is', {
    to: (prompt, options) => {
      (prompt.system as unknown as { text: string }[]).reverse().reverse();
      (prompt as { marks?: unknown }).marks = { ...prompt.marks };
      return sound.to(prompt, options);
    },
  }),
  mutant(
    'drops calls from the messages it is given',
    [
      'leaves the prompt as it is',
      once,
      everything,
      'makes the same body of the same prompt',
      'copes with a side that speaks twice',
    ],
    {
      to: (prompt, options) => {
        const body = sound.to(prompt, options);
        if (!Object.isFrozen(prompt.messages)) (prompt.messages as Message[]).shift();
        return body;
      },
    },
  ),
  inBody('writes undefined fields', 'makes bodies of JSON and nothing else', (body) => ({ ...body, top_k: undefined })),
  inBody('tells how many messages there are', [grows], (body) => ({
    ...body,
    metadata: { user_id: `of ${body.messages.length}` },
  })),
  inBody('shortens old texts', [grows, once], (body) => ({
    ...body,
    messages: body.messages.map((message, index) =>
      index > 0 || body.messages.length < 7
        ? message
        : { ...message, content: message.content.map((block) => ({ ...block, text: 'Shortened.' })) },
    ),
  })),
  inBody('begins long bodies with their second message', [everything, 'carries a turn of a hundred calls'], (body) =>
    body.messages.length > 20 ? { ...body, messages: body.messages.slice(1) } : body,
  ),
  mutant('sends halves of pairs as they are', 'sends text that is well formed, whatever was said', {
    to: (prompt, options) => {
      const body = sound.to(prompt, options) as Body;
      const [first] = prompt.messages;
      const text = typeof first?.content === 'string' ? first.content : '';
      return inBlocks(body, (block) =>
        block.type === 'text' && text.startsWith(String(block.text).slice(0, 6)) && /\p{Surrogate}/u.test(text)
          ? [{ ...block, text }]
          : [block],
      );
    },
  }),
  mutant('marks the end of every conversation', ['marks nothing where the prompt marks nothing', grows], {
    to: (prompt, options) =>
      sound.to(
        prompt.marks.afterStable > 0
          ? prompt
          : { ...prompt, marks: { ...prompt.marks, afterStable: prompt.messages.length } },
        options,
      ),
  }),
  mutant('marks one message too many', 'marks for the cache what the prompt marks', {
    to: (prompt, options) => {
      const { afterStable } = prompt.marks;
      const marks = { ...prompt.marks, afterStable: afterStable === 0 ? 0 : afterStable + 1 };
      return sound.to({ ...prompt, marks }, options);
    },
  }),
  mutant('forgets the mark behind the instructions', 'marks for the cache what the prompt marks', {
    to: (prompt, options) => sound.to({ ...prompt, marks: { ...prompt.marks, afterSystem: 0 } }, options),
  }),
  inParts(
    'takes the proof of any provider for its own',
    'leaves out what the model of another provider has kept',
    (part) => {
      const [first] = Object.values(part.providerOptions ?? {});
      const { proof } = first ?? {};
      if (part.type !== 'reasoning' || proof === undefined) return [part];
      return [{ ...part, providerOptions: { anthropic: { signature: proof } } }];
    },
  ),
];

const ofConversations: readonly Mutant<AdapterSubject>[] = [
  inParts('leaves results out that are JSON', once, (part) =>
    part.type === 'tool-result' && part.output.type === 'json'
      ? [{ ...part, output: { type: 'text', value: 'JSON.' } }]
      : [part],
  ),
  inParts('says texts beside calls twice', once, (part, { role }) =>
    part.type === 'text' && role === 'assistant' && part.text.includes('1') ? [part, part] : [part],
  ),
  inPrompt('puts calls in front of words', [order, 'sends thinking back with its proof, to the byte'], (messages) =>
    messages.map((message) => {
      if (message.role !== 'assistant' || typeof message.content === 'string') return message;
      const isCall = ({ type }: MessagePart): boolean => type === 'tool-call';
      const { content } = message;
      return { ...message, content: [...content.filter(isCall), ...content.filter((part) => !isCall(part))] };
    }),
  ),
  inPrompt('puts the newest question first among what is asked at once', [order, grows], (messages) => {
    const last = messages.at(-1);
    if (messages.length < 8 || last?.role !== 'user') return messages;
    return [last, ...messages.slice(0, -1)];
  }),
  mutant('sorts instructions by length', front, {
    to: ({ system, ...prompt }, options) => sound.to({ ...prompt, system: [...system].reverse() }, options),
  }),
  mutant('says instructions behind the conversation', [front, grows, 'marks for the cache what the prompt marks'], {
    to: ({ system, messages, ...prompt }, options) => {
      const text = system.map((block) => block.text).join('\n');
      const last: readonly Message[] = text.trim() === '' ? [] : [{ role: 'user', content: text }];
      return sound.to({ ...prompt, system: [], messages: [...messages, ...last] }, options);
    },
  }),
  inPrompt(
    'leaves instructions in the middle out',
    'copes with instructions in the middle of a conversation',
    (messages) => messages.filter(({ role }) => role !== 'system'),
  ),
  inBody('sends an empty list of messages', 'copes with an empty conversation', (body, { messages }) =>
    messages.length === 0 ? { ...body, messages: [] } : body,
  ),
  inBody(
    'does not join what one side says',
    [
      'copes with a side that speaks twice',
      'copes with instructions in the middle of a conversation',
      'sends images and files, or says that they were there',
      'reads an answer without a word',
    ],
    (body) => ({
      ...body,
      messages: body.messages.flatMap(({ role, content }) =>
        content.length > 1 && content.every(({ type }) => type === 'text')
          ? content.map((block) => ({ role, content: [block] }))
          : [{ role, content }],
      ),
    }),
  ),
  inPrompt('keeps the last of what one side says', ['copes with a side that speaks twice'], (messages) =>
    messages.filter(({ role }, index) => {
      const next = messages[index + 1];
      return role === 'tool' || next?.role !== role || messages.length > 6;
    }),
  ),
  inBody(
    'begins with the model where it begins',
    'copes with a conversation that the model begins',
    (body, { messages }) => (messages[0]?.role === 'assistant' ? { ...body, messages: body.messages.slice(1) } : body),
  ),
  inPrompt('leaves out what the model begins with', 'copes with a conversation that the model begins', (messages) => {
    const first = messages.findIndex(({ role }) => role === 'user');
    return messages.slice(Math.max(0, first));
  }),
  inBody('sends empty texts', 'copes with texts without a word', (body, { messages }) =>
    messages.some(({ content }) => content === '')
      ? { ...body, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }, ...body.messages.slice(1)] }
      : body,
  ),
  inBody(
    'puts pictures of results in front of the results',
    ['keeps results next to their calls', everything],
    (body) =>
      inBlocks(body, (block) => {
        const inside = block.content;
        if (block.type !== 'tool_result' || !Array.isArray(inside)) return [block];
        const pictures = (inside as Block[]).filter(({ type }) => type === 'image');
        return pictures.length === 0 ? [block] : [...pictures, { ...block, content: '[See above.]' }];
      }),
  ),
  inBody('says of no result that it failed', 'tells a failed result from a good one', (body) =>
    inBlocks(body, ({ is_error: _, ...block }) => [block]),
  ),
  inBody('cuts ids at 64 characters', ids, (body) =>
    inBlocks(body, (block) => {
      const cut = (id: unknown): unknown => (typeof id === 'string' ? id.slice(0, 64) : id);
      if (block.type === 'tool_use') return [{ ...block, id: cut(block.id) }];
      return block.type === 'tool_result' ? [{ ...block, tool_use_id: cut(block.tool_use_id) }] : [block];
    }),
  ),
  inParts('takes points out of ids', ids, (part) =>
    part.type === 'tool-call' || part.type === 'tool-result'
      ? [{ ...part, toolCallId: part.toolCallId.replaceAll(/[.:]/g, '_') }]
      : [part],
  ),
  mutant(
    'takes what no name may have out of names',
    [
      'makes names of tools that the provider takes, and keeps them apart',
      'gives calls the names that their tools have here',
    ],
    {
      to: (prompt, { tools }) =>
        sound.to(prompt, { tools: tools.map((tool) => ({ ...tool, name: tool.name.replaceAll(/[.: ]/g, '_') })) }),
    },
  ),
  inPrompt('sends the newest eighty calls', 'carries a turn of a hundred calls', (messages) => {
    const isCall = ({ role }: Message): boolean => role === 'tool';
    if (messages.filter(isCall).length < 100) return messages;
    const [first, ...rest] = messages;
    return first === undefined || rest.length < 150 ? messages : [first, ...rest.slice(-160)];
  }),
  inParts('leaves out files that it cannot send', 'sends images and files, or says that they were there', (part) =>
    part.type === 'file' && part.mediaType.startsWith('application/x-') ? [] : [part],
  ),
];

const ofAnswers: readonly Mutant<AdapterSubject>[] = [
  inRead('takes what is no ASCII out of words', 'reads what the model said', (part) =>
    part.type === 'text' ? [{ ...part, text: part.text.replaceAll(/[^\x20-\x7e\n]/g, '') }] : [part],
  ),
  inReply('wants to have been told something', 'reads an answer without a word', (reply) => {
    if (reply.message.content.length === 0) throw new TypeError('Nothing.');
    return reply;
  }),
  inRead('leaves lists out of inputs', 'reads calls with their ids, names and inputs', (part) => {
    if (part.type !== 'tool-call' || typeof part.input !== 'object' || part.input === null) return [part];
    const input = Object.fromEntries(Object.entries(part.input).filter(([, value]) => !Array.isArray(value)));
    return [{ ...part, input }];
  }),
  inRead('numbers calls anew', ['reads calls with their ids, names and inputs', back, ids], (part) =>
    part.type === 'tool-call' && part.toolCallId === 'a2' ? [{ ...part, toolCallId: 'call-2' }] : [part],
  ),
  mutant('leaves calls the names that the provider knows', 'gives calls the names that their tools have here', {
    from: (answer) => sound.from(answer, { tools: [] }),
  }),
  inRead('drops calls that are no JSON', 'keeps a call whose arguments are no JSON', (part) =>
    part.type === 'tool-call' && typeof part.input === 'string' ? [] : [part],
  ),
  inReply('takes a cut answer for a whole one', 'says why the model stopped', ({ message, usage }) => ({
    message: { ...message, stop: message.stop === 'length' && usage !== null ? 'stop' : message.stop },
    usage,
  })),
  inReply(
    'takes any other reason for the end',
    'takes a reason that nobody knows for no end',
    ({ message, usage }) => ({
      message: { ...message, stop: message.stop === 'other' ? 'stop' : message.stop },
      usage,
    }),
  ),
  inReply('counts what came from the cache twice', 'counts what came from the cache apart', ({ message, usage }) => ({
    message,
    usage: usage && { ...usage, inputTokens: usage.inputTokens + (usage.cacheReadTokens ?? 0) },
  })),
  inReply(
    'reports zeros where nothing was reported',
    'reports nothing where the provider reports nothing',
    ({ message, usage }) => ({ message, usage: usage ?? { inputTokens: 0, outputTokens: 0 } }),
  ),
  inReply('keeps when it was read', 'reads answers into messages that can be kept', ({ message, usage }) => ({
    message: { ...message, readAt: new Date(0) } as typeof message,
    usage,
  })),
  inRead('takes quotation marks out of words', back, (part) =>
    part.type === 'text' ? [{ ...part, text: part.text.replaceAll('"', '') }] : [part],
  ),
  inRead('forgets the proof of thinking', 'sends thinking back with its proof, to the byte', (part) =>
    part.type === 'reasoning' ? [{ type: 'reasoning', text: part.text }] : [part],
  ),
  inParts('decodes what is in a proof', 'sends thinking back with its proof, to the byte', (part) => {
    const { signature } = keptBy(part);
    if (part.type !== 'reasoning' || typeof signature !== 'string') return [part];
    return [{ ...part, providerOptions: { anthropic: { signature: signature.replaceAll('+', ' ') } } }];
  }),
  inRead('passes over blocks that it does not know', 'sends blocks back that it does not know', (part) =>
    keptBy(part).block === undefined ? [part] : [],
  ),
  mutant('reads anything as an answer', 'refuses what is no answer', {
    from: (answer, options) => {
      const { content = [] } = (answer ?? {}) as { content?: unknown };
      return sound.from(
        { stop_reason: null, ...(answer as object), content: Array.isArray(content) ? content : [] },
        options,
      );
    },
  }),
];

/** Adapters that break their contract, each in one way; the rest of each is the adapter of Anthropic's Messages API. */
export const adapterMutants: readonly Mutant<AdapterSubject>[] = [...ofBodies, ...ofConversations, ...ofAnswers];
