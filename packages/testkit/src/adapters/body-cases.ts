import type { Message } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import { sampleConversations } from '../conversation/sample-conversations.ts';
import { converse, openTrial } from '../trial/trial-host.ts';
import { asks, atOnce, mark, plainTool, promptOf, says, variedMessages } from './adapter-prompts.ts';
import { type AdapterCase, type AdapterPrompt, onAdapter, takenBody, timesIn } from './adapter-subject.ts';
import { leafText, leavesOf, unsayableIn } from './body-leaves.ts';

const instructions = ['Be brief.', 'Speak of rivers.'];
const tools = [plainTool];

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function marked(): AdapterPrompt {
  const messages: readonly Message[] = [asks(mark(1)), says(mark(2)), asks(mark(3))];
  return { ...promptOf(messages, [mark(0)]), marks: { afterSystem: 1, afterStable: 2 } };
}

/** What holds for bodies as bytes. */
export const bodyCases: readonly AdapterCase[] = [
  onAdapter(
    'makes the same body of the same prompt',
    'Providers bill a prompt anew behind the first byte that differs.',
    (subject) => {
      const prompt = promptOf(variedMessages(), instructions);
      const [first, second] = [subject.to(prompt, { tools }), subject.to(structuredClone(prompt), { tools })];
      assertEqual(JSON.stringify(second), JSON.stringify(first), 'the body that was made second');
    },
  ),
  onAdapter('leaves the prompt as it is', 'The same prompt is measured, kept and sent again.', (subject) => {
    const prompt = promptOf(variedMessages(), instructions);
    const before = JSON.stringify(prompt);
    subject.to(prompt, { tools });
    assertEqual(JSON.stringify(prompt), before, 'the prompt after a body was made of it');
    // Prompts of core are frozen.
    subject.to(frozen(prompt), { tools });
  }),
  onAdapter(
    'makes bodies of JSON and nothing else',
    'What JSON cannot say is gone, or is something else, when it arrives.',
    (subject) => {
      const body = subject.to(promptOf(variedMessages(), instructions), { tools });
      assertEqual(unsayableIn(body), [], 'values of the body that JSON cannot say');
    },
  ),
  onAdapter(
    'makes bodies that only grow at their end',
    'A conversation that goes on would be billed anew with each message.',
    (subject) => {
      const messages = variedMessages();
      for (const end of [4, 5, 9]) {
        const [short, long] = [end, messages.length].map((count) =>
          leavesOf(subject.to(promptOf(messages.slice(0, count)), { tools })).map(leafText),
        );
        const kept = new Set(long);
        const changed = (short ?? []).filter((leaf) => !kept.has(leaf));
        assertEqual(changed.slice(0, 3), [], `what ${end} messages had, and more messages changed`);
      }
    },
  ),
  onAdapter(
    'makes bodies that the provider takes of all that core assembles',
    'A request that is refused ends the turn of a user.',
    async (subject) => {
      const { host, clock } = await openTrial({});
      try {
        for (const [index, { utterances, seed }] of sampleConversations({ count: 4, length: 3 }).entries()) {
          const answers = await converse(await host.open(`s${index}`), utterances, { clock });
          for (const prompt of answers.flatMap((one) => one.prompt ?? []).slice(-3)) {
            takenBody(subject, prompt, { tools, when: `in conversation ${seed}` });
          }
        }
      } finally {
        await host.close();
      }
    },
  ),
  onAdapter(
    'sends text that is well formed, whatever was said',
    'Half of a surrogate pair, which cutting a text leaves, makes providers refuse the whole request.',
    (subject) => {
      const half = '\uD83D';
      const messages = [
        asks(`${mark(0)}${half}`),
        says(`a${half}b`),
        asks('And?'),
        ...atOnce([{ id: 'a', input: { path: half }, output: { type: 'text', value: `\uDE00${mark(1)}` } }]),
      ];
      const tool = { ...plainTool, description: `Reads.${half}` };
      const body = takenBody(subject, promptOf(messages, [`x${half}`]), { tools: [tool], when: 'of halves' });
      const broken = leavesOf(body).filter(({ value }) => /\p{Surrogate}|\\ud[89a-f]/iu.test(String(value)));
      assertEqual(
        broken.map(({ path }) => path),
        [],
        'where halves of pairs are sent',
      );
      assertEqual([timesIn(body, mark(0)), timesIn(body, mark(1))], [1, 1], 'how often the texts around are sent');
    },
  ),
  {
    name: 'marks for the cache what the prompt marks',
    why: 'Without a mark the provider keeps nothing; one on what changes is paid for and never read.',
    needs: ({ cacheMarks }) => cacheMarks !== undefined,
    unless: 'the API has no cache marks',
    run: async (open) => {
      const subject = await open();
      const texts = subject.cacheMarks?.(takenBody(subject, marked(), { when: 'with marks' })) ?? [];
      assertEqual(texts, [mark(0), mark(2)], 'the texts that are marked');
    },
  },
  {
    name: 'marks nothing where the prompt marks nothing',
    why: 'Keeping costs more than sending: a prompt that is never sent again is not to be kept.',
    needs: ({ cacheMarks }) => cacheMarks !== undefined,
    unless: 'the API has no cache marks',
    run: async (open) => {
      const subject = await open();
      const body = subject.to(promptOf(marked().messages, [mark(0)]), { tools: [] });
      assertEqual(subject.cacheMarks?.(body), [], 'the texts that are marked');
    },
  },
  onAdapter(
    'leaves out what the model of another provider has kept',
    'A provider refuses the proof and the fields of another, and should not read them.',
    (subject) => {
      const providerOptions = { 'somebody-else': { proof: mark(7), block: { type: 'strange', text: mark(8) } } };
      const messages: readonly Message[] = [
        asks('Hello.'),
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Let me see.', providerOptions },
            { type: 'text', text: mark(0), providerOptions },
          ],
        },
        asks('And?'),
      ];
      const body = takenBody(subject, promptOf(messages), { when: 'after another model' });
      assertEqual(timesIn(body, mark(0)), 1, 'how often its words are sent');
      assertThat(timesIn(body, mark(7)) + timesIn(body, mark(8)) === 0, 'it sends what another provider has kept');
    },
  ),
];
