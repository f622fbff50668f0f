import { type MessagePart, type ModelDelta, messageSchema, partsOfMessage } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import { giveWay } from '../trial/trial-host.ts';
import {
  bothWays,
  type ModelPortCase,
  onPort,
  type PortOutcome,
  readFile,
  requestOf,
  wordsOf,
} from './model-port-subject.ts';

const said = 'Clay settles last, and silt before it.';
const answer: PortOutcome = { kind: 'answer', text: said };
const call = { id: 'call_1', name: readFile.name, input: { path: 'delta.txt' } } as const;

function partsOf(parts: readonly MessagePart[], type: MessagePart['type']): readonly MessagePart[] {
  return parts.filter((part) => part.type === type);
}

/** What a port makes of answers. */
export const answeringCases: readonly ModelPortCase[] = [
  onPort(
    'says which model it is',
    { why: 'Windows, prices and the cache of the last prompt are kept by provider and model.', script: answer },
    async ({ port }) => {
      assertThat(port.ref.provider !== '' && port.ref.model !== '', 'its ref has no provider, or no model');
      assertEqual(JSON.parse(JSON.stringify(port.ref)), { ...port.ref }, 'its ref as JSON');
    },
  ),
  onPort(
    'answers with what the model said, whether somebody listens or not',
    { why: 'Users wait for these words.', script: answer },
    async ({ port }) => {
      for (const options of bothWays) {
        const reply = await port.generate(requestOf('What settles?'), options);
        assertEqual(wordsOf(reply), said, options.onDelta === undefined ? 'the whole answer' : 'the streamed answer');
        assertEqual(reply.message.stop, 'stop', 'why it stopped');
        assertThat(messageSchema.safeParse(reply.message).success, 'its answer is no message of core');
      }
    },
  ),
  onPort(
    'tells the answer piece by piece to who listens',
    { why: 'Without pieces a user looks at nothing for a minute.', script: answer },
    async ({ port }) => {
      const heard: ModelDelta[] = [];
      await port.generate(requestOf('What settles?'), { onDelta: (delta) => heard.push(delta) });
      const text = heard.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
      assertEqual(text, said, 'the pieces, put together');
    },
  ),
  onPort(
    'goes on when who listens throws',
    { why: 'An answer that is paid for is lost because somebody could not show it.', script: answer },
    async ({ port }) => {
      const onDelta = (): never => {
        throw new Error('Made by a case.');
      };
      assertEqual(wordsOf(await port.generate(requestOf('What settles?'), { onDelta })), said, 'its answer');
    },
  ),
  onPort(
    'sends the prompt',
    { why: 'The model answers to something else.', script: answer },
    async ({ port, bodies }) => {
      await port.generate(requestOf('What <settles>?'));
      assertEqual(bodies.length, 1, 'the number of calls that the provider saw');
      for (const text of ['What <settles>?', 'Speak of rivers.'])
        assertThat((bodies[0] ?? '').includes(text), `the provider was not told "${text}"`);
    },
  ),
  onPort(
    'leaves the request as it is',
    { why: 'The same prompt is measured, kept and sent again.', script: answer },
    async ({ port }) => {
      const request = requestOf('What settles?', { tools: [readFile] });
      const before = JSON.stringify(request);
      for (const options of bothWays) await port.generate(request, options);
      assertEqual(JSON.stringify(request), before, 'the request after the call');
    },
  ),
  onPort(
    'offers the tools, and reads calls of them',
    {
      why: 'The model cannot act, or the host runs something else.',
      script: { kind: 'answer', text: 'I look.', calls: [call] },
    },
    async ({ port, bodies }) => {
      for (const options of bothWays) {
        const { message } = await port.generate(requestOf('Look.', { tools: [readFile] }), options);
        const calls = partsOf(partsOfMessage(message), 'tool-call').map((part) =>
          part.type === 'tool-call' ? { id: part.toolCallId, name: part.toolName, input: part.input } : null,
        );
        assertEqual(calls, [call], 'the calls that it read');
        assertEqual(message.stop, 'tool-calls', 'why it stopped');
      }
      assertThat((bodies[0] ?? '').includes('Reads a file of the river.'), 'the provider was not told of the tool');
    },
  ),
  onPort(
    'gives calls the names that their tools have here',
    {
      why: 'Providers take few characters in a name; the host knows no tool of the name that they were told.',
      script: (body) => {
        const [, name = 'fs.read'] = /"name":"([^"]*fs[^"]*)"/.exec(body) ?? [];
        return { kind: 'answer', text: '', calls: [{ ...call, name }] };
      },
    },
    async ({ port }) => {
      const tool = { ...readFile, name: 'fs.read' };
      for (const options of bothWays) {
        const { message } = await port.generate(requestOf('Look.', { tools: [tool] }), options);
        const names = partsOfMessage(message).flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []));
        assertEqual(names, ['fs.read'], 'the names of the calls that it read');
      }
    },
  ),
  onPort(
    'announces calls while it streams',
    {
      why: 'A user sees nothing while the model writes a long file.',
      script: { kind: 'answer', text: '', calls: [call] },
    },
    async ({ port }) => {
      const heard: ModelDelta[] = [];
      await port.generate(requestOf('Look.', { tools: [readFile] }), { onDelta: (delta) => heard.push(delta) });
      const told = heard.flatMap((delta) => (delta.type === 'tool-call' ? [delta.toolName] : []));
      assertEqual(told, [readFile.name], 'the calls that were announced');
    },
  ),
  onPort(
    'bounds the answer where it is asked to',
    { why: 'A summary that is longer than what it stands for is of no use, and is paid for.', script: answer },
    async ({ port, bodies }) => {
      for (const options of bothWays)
        await port.generate(requestOf('What settles?', { maxOutputTokens: 1_237 }), options);
      assertThat(
        bodies.every((body) => /:1237[,}]/.test(body)),
        'the provider was not told of the bound',
      );
    },
  ),
  onPort(
    'reports what the provider counted',
    {
      why: 'Costs, and when to compact, are computed from these numbers.',
      script: { ...answer, usage: { inputTokens: 41, outputTokens: 9 } },
    },
    async ({ port }) => {
      for (const options of bothWays) {
        const { usage } = await port.generate(requestOf('What settles?'), options);
        assertEqual([usage?.inputTokens, usage?.outputTokens], [41, 9], 'what it reports');
      }
    },
  ),
  onPort(
    'reports nothing where the provider reports nothing',
    { why: 'A made-up zero is taken for a prompt of no tokens.', script: { ...answer, usage: null } },
    async ({ port }) => {
      assertEqual((await port.generate(requestOf('What settles?'), bothWays[1])).usage, null, 'what it reports');
    },
  ),
  onPort(
    'answers with nothing when the model says nothing',
    {
      why: 'Models end a turn without a word when all has been said; that is no failure.',
      script: { kind: 'answer', text: '' },
    },
    async ({ port }) => {
      for (const options of bothWays)
        assertEqual(wordsOf(await port.generate(requestOf('Well?'), options)), '', 'its answer');
    },
  ),
  onPort(
    'says that an answer was cut by its length',
    { why: 'Half a summary would be kept as a whole one.', script: { ...answer, stop: 'length' } },
    async ({ port }) => {
      for (const options of bothWays)
        assertEqual(
          (await port.generate(requestOf('What settles?'), options)).message.stop,
          'length',
          'why it stopped',
        );
    },
  ),
  onPort(
    'says that the model would not answer',
    { why: 'A refusal would be kept as a summary of the conversation.', script: { ...answer, stop: 'refusal' } },
    async ({ port }) => {
      for (const options of bothWays) {
        const { message } = await port.generate(requestOf('What settles?'), options);
        assertEqual(message.stop, 'content-filter', 'why it stopped');
      }
    },
  ),
  onPort(
    'takes a reason that nobody knows for no end',
    { why: 'Providers add reasons; what they mean is not "all is well".', script: { ...answer, stop: 'unknown' } },
    async ({ port }) => {
      const reply = await port.generate(requestOf('What settles?'));
      assertEqual([reply.message.stop, wordsOf(reply)], ['other', said], 'why it stopped, and what it said');
    },
  ),
  onPort(
    'keeps calls that are made at once apart',
    {
      why: 'One user would read the answer to another.',
      script: (body) => ({ kind: 'answer', text: body.includes('first') ? 'one' : 'two' }),
    },
    async ({ port }) => {
      const replies = await Promise.all(
        ['first', 'second'].map((question) => port.generate(requestOf(question), { onDelta: () => undefined })),
      );
      assertEqual(replies.map(wordsOf), ['one', 'two'], 'the answers');
    },
  ),
  slowCase(),
];

function slowCase(): ModelPortCase {
  const name = 'waits for a model that is slow';
  const why = 'Large prompts are read for a minute before the first word comes.';
  const run: ModelPortCase['run'] = async (open) => {
    let release: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = onPort(name, { why, script: { kind: 'answer', text: said, after } }, async ({ port, arrival }) => {
      let isDone = false;
      const reply = port.generate(requestOf('What settles?')).finally(() => {
        isDone = true;
      });
      await Promise.race([arrival(1), reply]);
      await giveWay(5);
      assertThat(!isDone, 'it was done before the model had answered');
      release();
      assertEqual(wordsOf(await reply), said, 'its answer');
    });
    await slow.run(open);
  };
  return { name, why, run };
}
