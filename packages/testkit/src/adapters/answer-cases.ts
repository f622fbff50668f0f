import {
  type Message,
  type MessagePart,
  type ModelReply,
  messageSchema,
  partsOfMessage,
  type ToolDefinition,
} from '@varve/core';
import { assertEqual, assertFails, assertThat } from '../assert.ts';
import { asks, atOnce, mark, plainTool, promptOf } from './adapter-prompts.ts';
import {
  type AdapterCase,
  type AdapterSubject,
  onAdapter,
  type Said,
  type SaidPart,
  takenBody,
  timesIn,
} from './adapter-subject.ts';

const tools = [plainTool];
const usage = { inputTokens: 40, outputTokens: 7, cacheReadTokens: 100 } as const;

function read(subject: AdapterSubject, parts: readonly SaidPart[], changes: Partial<Said> = {}): ModelReply {
  const said: Said = {
    parts,
    stop: parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'end',
    usage,
    ...changes,
  };
  return subject.from(subject.answer(said), { tools });
}

function call(id: string, input: string, name: string = plainTool.name): SaidPart {
  return { type: 'tool-call', id, name, arguments: input };
}

function textOf({ message }: ModelReply): string {
  return partsOfMessage(message)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

function callsOf({ message }: ModelReply): readonly Extract<MessagePart, { type: 'tool-call' }>[] {
  return partsOfMessage(message).filter((part) => part.type === 'tool-call');
}

/** The answer as a message, and the user's side behind it: results of its calls, or words. */
function andGoOn(reply: ModelReply, ids: readonly string[]): readonly Message[] {
  const message = JSON.parse(JSON.stringify(reply.message)) as Message;
  const [, ...results] = atOnce(ids.map((id) => ({ id })));
  return [asks('Go.'), message, ...(results.length > 0 ? results : [asks('And?')])];
}

/** What holds for what the model says. */
export const answerCases: readonly AdapterCase[] = [
  onAdapter('reads what the model said', 'Users wait for these words.', (subject) => {
    const reply = read(subject, [{ type: 'text', text: 'Clay, then silt. 😀' }]);
    assertEqual(reply.message.role, 'assistant', 'the role of what it read');
    assertEqual(textOf(reply), 'Clay, then silt. 😀', 'what it read');
  }),
  onAdapter('reads an answer without a word', 'Models answer with nothing when all has been said.', (subject) => {
    assertEqual(textOf(read(subject, [])), '', 'what it read');
    takenBody(subject, promptOf(andGoOn(read(subject, []), [])), { when: 'after an answer without a word' });
  }),
  onAdapter(
    'reads calls with their ids, names and inputs',
    'The wrong tool is run, or the right one with something else.',
    (subject) => {
      const calls = callsOf(
        read(subject, [
          { type: 'text', text: 'I look.' },
          call('a1', '{"path":"x","lines":[1,null]}'),
          call('a2', '{}'),
        ]),
      );
      assertEqual(
        calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
        [
          { toolCallId: 'a1', toolName: plainTool.name, input: { path: 'x', lines: [1, null] } },
          { toolCallId: 'a2', toolName: plainTool.name, input: {} },
        ],
        'the calls that it read',
      );
    },
  ),
  onAdapter(
    'gives calls the names that their tools have here',
    'The host knows no tool of the name that the provider was told.',
    (subject) => {
      const own: readonly ToolDefinition[] = ['fs.read', `${'x'.repeat(200)}`].map((name) => ({ ...plainTool, name }));
      const offered = subject.toolNames(subject.to(promptOf([asks('Go.')]), { tools: own }));
      const parts = offered.map((name, index) => call(`a${index}`, '{}', name));
      const reply = subject.from(subject.answer({ parts, stop: 'tool-calls', usage }), { tools: own });
      assertEqual(
        callsOf(reply).map(({ toolName }) => toolName),
        own.map(({ name }) => name),
        'the names that it read',
      );
    },
  ),
  onAdapter(
    'keeps a call whose arguments are no JSON',
    'Models make slips: the next request has to show what was wrong, and must not be refused.',
    (subject) => {
      const reply = read(subject, [call('a1', `{"path": "${mark(0)}`)], { stop: 'length' });
      assertEqual(
        callsOf(reply).map(({ toolCallId }) => toolCallId),
        ['a1'],
        'the calls that it read',
      );
      const body = takenBody(subject, promptOf(andGoOn(reply, ['a1'])), {
        tools,
        when: 'after a call that is no JSON',
      });
      assertEqual(timesIn(body, mark(0)), 1, 'how often its arguments are sent back');
    },
  ),
  onAdapter(
    'says why the model stopped',
    'A turn ends before its tools have run, or an answer that was cut is taken for a whole one.',
    (subject) => {
      const text: readonly SaidPart[] = [{ type: 'text', text: 'So.' }];
      const stops = (['end', 'length', 'refusal'] as const).map((stop) => read(subject, text, { stop }).message.stop);
      assertEqual(stops, ['stop', 'length', 'content-filter'], 'why it stopped: at its end, by length, by refusing');
      assertEqual(read(subject, [call('a', '{}')]).message.stop, 'tool-calls', 'why it stopped for a tool');
    },
  ),
  onAdapter(
    'takes a reason that nobody knows for no end',
    'Providers add reasons; what they mean is not "all is well".',
    (subject) => {
      const { message } = read(subject, [{ type: 'text', text: 'So.' }], { stop: 'unknown' });
      assertEqual(message.stop, 'other', 'why it stopped');
      assertEqual(textOf({ message, usage: null }), 'So.', 'what it read');
    },
  ),
  onAdapter(
    'counts what came from the cache apart',
    'Costs, and the size of the next prompt, are computed from these numbers.',
    (subject) => {
      const { usage: counted } = read(subject, [{ type: 'text', text: 'So.' }]);
      const { inputTokens, outputTokens, cacheReadTokens } = counted ?? {};
      assertEqual({ inputTokens, outputTokens, cacheReadTokens }, usage, 'what it counted');
    },
  ),
  onAdapter(
    'reports nothing where the provider reports nothing',
    'A made-up zero is taken for a prompt of no tokens.',
    (subject) => {
      assertEqual(read(subject, [{ type: 'text', text: 'So.' }], { usage: null }).usage, null, 'what it counted');
    },
  ),
  onAdapter(
    'reads answers into messages that can be kept',
    'What cannot be kept is gone when the session wakes.',
    (subject) => {
      const { message } = read(subject, [{ type: 'text', text: 'I look.' }, call('a1', '{"path":"x"}')]);
      const { success } = messageSchema.safeParse(message);
      assertThat(success, 'what it read is no message of core');
      assertEqual(JSON.parse(JSON.stringify(message)), message, 'what it read, after it was kept as JSON');
    },
  ),
  onAdapter(
    'sends an answer back as the model said it',
    'A changed answer is not in the cache, and not what the model remembers.',
    (subject) => {
      const parts = [
        { type: 'text', text: `${mark(0)} "quoted"\n` } as const,
        call('a1', JSON.stringify({ path: mark(1), n: 1.5 })),
      ];
      const first = read(subject, parts);
      const words = JSON.stringify(`${mark(0)} "quoted"`).slice(1, -1);
      const body = takenBody(subject, promptOf(andGoOn(first, ['a1'])), { tools, when: 'after its own answer' });
      assertEqual([timesIn(body, words), timesIn(body, mark(1))], [1, 1], 'how often its words and arguments are sent');
      assertThat(timesIn(body, 'a1') >= 2, 'its call has another id than it had');
    },
  ),
  {
    name: 'sends thinking back with its proof, to the byte',
    why: 'Providers refuse a tool result whose thinking is gone, or is not what they signed.',
    needs: ({ takesThinking }) => takesThinking === true,
    unless: 'the API takes no thinking back',
    run: async (open) => {
      const subject = await open();
      const proof = `sealed+/=${mark(1)}`;
      const reply = read(subject, [{ type: 'thinking', text: mark(0), proof }, call('a1', '{}')]);
      const body = takenBody(subject, promptOf(andGoOn(reply, ['a1'])), { tools, when: 'after thinking' });
      assertEqual(
        [timesIn(body, mark(0)), timesIn(body, proof)],
        [1, 1],
        'how often the thinking and its proof are sent',
      );
    },
  },
  {
    name: 'sends blocks back that it does not know',
    why: 'Providers add types of blocks, and ask for them again; without them they refuse, or forget.',
    needs: ({ takesUnknown }) => takesUnknown === true,
    unless: "the API's answers are no lists of blocks that go back to it",
    run: async (open) => {
      const subject = await open();
      const reply = read(subject, [
        { type: 'unknown', text: mark(0) },
        { type: 'text', text: mark(1) },
      ]);
      const text = JSON.stringify(subject.to(promptOf(andGoOn(reply, [])), { tools: [] }));
      const places = [text.indexOf(mark(0)), text.indexOf(mark(1))];
      assertThat(
        (places[0] ?? -1) >= 0 && (places[0] ?? 0) < (places[1] ?? 0),
        'the block is not sent back, or not in its place',
      );
    },
  },
  onAdapter(
    'refuses what is no answer',
    'The page of a proxy would be kept as what the model said.',
    async (subject) => {
      for (const strange of [null, '<html>502</html>', { error: 'busy' }]) {
        await assertFails(
          () => subject.from(strange, { tools }),
          'VARVE_MODEL_FAILED',
          `reading ${JSON.stringify(strange)}`,
        );
      }
    },
  ),
];
