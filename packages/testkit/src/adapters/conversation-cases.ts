import type { Message, ToolDefinition } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import {
  asks,
  atOnce,
  mark,
  oneByOne,
  plainTool,
  promptOf,
  says,
  variedMarks,
  variedMessages,
} from './adapter-prompts.ts';
import { type AdapterCase, onAdapter, takenBody, timesIn } from './adapter-subject.ts';
import { leafText, leavesOf } from './body-leaves.ts';

const tools = [plainTool];
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What holds for conversations, whatever they consist of. */
export const conversationCases: readonly AdapterCase[] = [
  onAdapter(
    'sends everything that was said, and once',
    'The model asks again for what it is not shown, and believes what it reads twice.',
    (subject) => {
      const body = takenBody(subject, promptOf(variedMessages()), { tools, when: 'of a usual conversation' });
      const wrong = Array.from({ length: variedMarks }, (_, index) => mark(index)).filter(
        (text) => timesIn(body, text) !== 1,
      );
      assertEqual(wrong, [], 'texts that are not sent once');
    },
  ),
  onAdapter('keeps the order of what was said', 'An answer in front of its question is no answer.', (subject) => {
    const text = JSON.stringify(subject.to(promptOf(variedMessages()), { tools }));
    const places = Array.from({ length: variedMarks }, (_, index) => text.indexOf(mark(index))).filter((at) => at >= 0);
    assertEqual(
      places,
      [...places].sort((a, b) => a - b),
      'where the texts stand',
    );
  }),
  onAdapter(
    'puts instructions in front, in their order',
    'Instructions behind the conversation are read as a part of it, and move with each message.',
    (subject) => {
      const bodies = [1, 3].map((count) =>
        takenBody(
          subject,
          promptOf([asks('Hello.'), says('Yes?'), asks('Go on.')].slice(0, count), [mark(0), mark(1)]),
          {
            when: 'with instructions',
          },
        ),
      );
      const [short = [], long = []] = bodies.map((body) =>
        leavesOf(body).filter(({ value }) => [mark(0), mark(1)].some((text) => String(value).includes(text))),
      );
      const text = JSON.stringify(bodies[1]);
      const places = [text.indexOf(mark(0)), text.indexOf(mark(1))];
      assertThat(
        places[0] !== -1 && (places[0] ?? 0) < (places[1] ?? 0),
        'the instructions are not sent in their order',
      );
      assertEqual(long.map(leafText), short.map(leafText), 'where they stand when the conversation goes on');
    },
  ),
  onAdapter(
    'copes with instructions in the middle of a conversation',
    'Hosts tell the model of a changed mode, and importers bring such messages along.',
    (subject) => {
      const messages: readonly Message[] = [
        asks('Hello.'),
        says('Yes?'),
        { role: 'system', content: mark(0) },
        asks('Go on.'),
      ];
      const body = takenBody(subject, promptOf(messages), { when: 'with instructions in its middle' });
      assertEqual(timesIn(body, mark(0)), 1, 'how often they are sent');
    },
  ),
  onAdapter('copes with an empty conversation', 'A session may have nothing but instructions.', (subject) => {
    takenBody(subject, promptOf([], ['Be brief.']), { when: 'without messages' });
    takenBody(subject, promptOf([]), { when: 'without anything' });
  }),
  onAdapter(
    'copes with a side that speaks twice',
    'Users write several messages in a row; an answer that was interrupted goes on in the next.',
    (subject) => {
      const messages = [asks(mark(0)), asks(mark(1)), says(mark(2)), says(mark(3)), asks(mark(4))];
      const body = takenBody(subject, promptOf(messages), { when: 'where a side speaks twice' });
      assertEqual(
        messages.map((_, index) => timesIn(body, mark(index))),
        [1, 1, 1, 1, 1],
        'how often each is sent',
      );
    },
  ),
  onAdapter(
    'copes with a conversation that the model begins',
    'Compactions and imports leave the middle of a conversation.',
    (subject) => {
      const body = takenBody(subject, promptOf([says(mark(0)), asks(mark(1))]), { when: 'that the model begins' });
      assertEqual([timesIn(body, mark(0)), timesIn(body, mark(1))], [1, 1], 'how often each is sent');
    },
  ),
  onAdapter('copes with texts without a word', 'Empty messages and white space are said all the time.', (subject) => {
    const messages: readonly Message[] = [
      asks(''),
      asks('Hello.'),
      says(''),
      asks(' \n'),
      { role: 'assistant', content: [{ type: 'text', text: ' ' }] },
      { role: 'user', content: [] },
      ...atOnce([
        { id: 'a', output: { type: 'text', value: '' } },
        { id: 'b', output: { type: 'content', value: [] } },
        { id: 'c', output: { type: 'error-text', value: '' } },
      ]),
      says('Done. '),
    ];
    takenBody(subject, promptOf(messages, ['', ' ', 'Be brief.']), { tools, when: 'of empty texts' });
  }),
  onAdapter(
    'keeps results next to their calls',
    'Providers refuse a call without a result right behind it, and a result without a call.',
    (subject) => {
      const messages = [
        asks('Read both.'),
        ...atOnce([
          { id: 'a' },
          { id: 'b' },
          { id: 'c', output: { type: 'content', value: [{ type: 'image', image: pixel, mediaType: 'image/png' }] } },
        ]),
        asks('Be quick.'),
        ...oneByOne([{ id: 'd' }, { id: 'e' }]),
      ];
      takenBody(subject, promptOf(messages), { tools, when: 'of calls that are made at once' });
    },
  ),
  onAdapter('tells a failed result from a good one', 'The model goes on as if it had worked.', (subject) => {
    const [good, bad] = (['text', 'error-text'] as const).map((type) =>
      JSON.stringify(
        takenBody(
          subject,
          promptOf([asks('Go.'), ...atOnce([{ id: 'a', output: { type, value: 'No such file.' } }])]),
          {
            tools,
            when: 'of results',
          },
        ),
      ),
    );
    assertThat(good !== bad, 'the body with a failed result is that of a good one');
  }),
  onAdapter(
    'makes ids of calls that the provider takes, and keeps them apart',
    'Ids come from other providers and other tools; two that become one answer each other.',
    (subject) => {
      const ids = ['call.1', 'call:1', 'call 1', 'é', `long-${'x'.repeat(300)}`, `long-${'x'.repeat(300)}y`, '1'];
      const rounds = ids.map((id, index) => ({ id, output: { type: 'text', value: mark(index) } as const }));
      for (const messages of [atOnce(rounds), oneByOne(rounds)]) {
        takenBody(subject, promptOf([asks('Go.'), ...messages]), { tools, when: 'of strange ids' });
      }
    },
  ),
  onAdapter(
    'makes names of tools that the provider takes, and keeps them apart',
    'Tools are named by whoever wrote them: with dots, and at any length.',
    (subject) => {
      const names = ['fs.read', 'fs:read', 'fs_read', 'x'.repeat(200), `${'x'.repeat(200)}y`, 'lire le fichier'];
      const named = names.map((name): ToolDefinition => ({ ...plainTool, name }));
      const rounds = names.map((toolName, index) => ({ id: `a${index}`, toolName }));
      const body = takenBody(subject, promptOf([asks('Go.'), ...atOnce(rounds)]), {
        tools: named,
        when: 'of strange names',
      });
      const offered = subject.toolNames(body);
      assertEqual(new Set(offered).size, names.length, 'the number of names that are apart');
      const unnamed = offered.filter((name) => timesIn(body, JSON.stringify(name)) < 2);
      assertEqual(unnamed, [], 'tools that are called by another name than they are offered');
    },
  ),
  onAdapter('carries a turn of a hundred calls', 'Agents work for hours on one request.', (subject) => {
    const rounds = Array.from({ length: 100 }, (_, index) => ({
      id: `call-${index}`,
      output: { type: 'text', value: mark(index) } as const,
    }));
    for (const messages of [oneByOne(rounds), atOnce(rounds)]) {
      const body = takenBody(subject, promptOf([asks('Go.'), ...messages]), { tools, when: 'of a hundred calls' });
      const text = JSON.stringify(body);
      const wrong = rounds.filter((_, index) => text.split(mark(index)).length !== 2);
      assertEqual(wrong.length, 0, 'the number of results that are not sent once');
    }
  }),
  onAdapter(
    'sends images and files, or says that they were there',
    'An answer to "what is this?" needs to know of what.',
    (subject) => {
      const parts = [
        { type: 'image', image: pixel, mediaType: 'image/png' },
        { type: 'image', image: 'AAAA', mediaType: 'image/x-unheard-of' },
        { type: 'file', data: 'AAAA', mediaType: 'application/x-unheard-of', filename: 'silt.bin' },
      ] as const;
      const sizeOf = (content: Message['content']): number =>
        JSON.stringify(takenBody(subject, promptOf([{ role: 'user', content } as Message]), { when: 'of media' }))
          .length;
      const words = [{ type: 'text', text: 'What is this?' }] as const;
      for (const [index, part] of parts.entries()) {
        assertThat(sizeOf([...words, part]) > sizeOf(words) + 10, `medium ${index} has left no trace in the body`);
      }
    },
  ),
];
