import { createHost, errorCodes, type Host, memoryStore, type Plan, type Session, VarveError } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { scriptedModel, tool, user } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

/** What plain JavaScript may give in the place of anything. */
const badValues: readonly (readonly [what: string, value: unknown])[] = [
  ['null', null],
  ['a number', 5],
  ['NaN', Number.NaN],
  ['an empty object', {}],
  ['an empty list', []],
  ['an empty text', ''],
  ['a text of a million characters', 'x'.repeat(1e6)],
  ['a symbol', Symbol('bad')],
  ['a function', () => undefined],
  ['a big integer', 5n],
  ['nothing', undefined],
];

interface Stage {
  readonly host: Host;
  readonly session: Session;
  readonly plan: Plan;
}

/** One place of a method's arguments, and how it is called with a value in it. */
type Place = readonly [what: string, call: (stage: Stage, value: never) => unknown];

/** An argument of options, and each of its fields. */
function places(what: string, fields: readonly string[], call: (stage: Stage, options: never) => unknown): Place[] {
  return [
    [what, call],
    ...fields.map((field): Place => {
      const withField = (stage: Stage, value: unknown): unknown =>
        call(stage, { ...valid[what], [field]: value } as never);
      return [`${what}: ${field}`, withField];
    }),
  ];
}

const port = scriptedModel([]).port;

/** What the options hold beside the field that is tried. */
const valid: { readonly [what: string]: object } = {
  assemble: { model },
  pressure: { model },
  turn: { model: port, message: user('Hi') },
  command: { model },
  plan: { model },
  commit: { model },
  compact: { model },
  moveHead: { reason: 'rewind' },
  fork: { newSessionId: 'fork' },
};

async function drain(entries: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of entries);
}

async function firstOf(events: AsyncIterableIterator<unknown>): Promise<void> {
  const first = events.next();
  await events.return?.();
  await first;
}

const request = ['model', 'tools', 'query', 'dryRun', 'signal'];
const compaction = ['model', 'tools', 'instructions', 'signal'];

const sessionPlaces: readonly Place[] = [
  ['ingest: the message', ({ session }, value) => session.ingest(value)],
  ['ingest: the content', ({ session }, value) => session.ingest({ role: 'user', content: value })],
  ['ingest: a part', ({ session }, value) => session.ingest({ role: 'user', content: [value] })],
  ...places('ingest', ['provenance', 'key', 'usage', 'signal'], ({ session }, value) =>
    session.ingest(user('Hi'), value),
  ),
  ...places('assemble', request, ({ session }, value) => session.assemble(value)),
  ['assemble: a tool', ({ session }, value) => session.assemble({ model, tools: [value] })],
  ['assemble: the provider', ({ session }, value) => session.assemble({ model: { provider: value, model: 'm' } })],
  ...places('pressure', ['model', 'tools'], ({ session }, value) => session.pressure(value)),
  ...places(
    'turn',
    ['message', 'provenance', 'key', 'kind', 'model', 'tools', 'query', 'maxSteps', 'onDelta', 'signal'],
    ({ session }, value) => session.turn(value),
  ),
  ['turn: a tool', ({ session }, value) => session.turn({ message: user('Hi'), model: port, tools: [value] })],
  [
    'turn: the deadline of a tool',
    ({ session }, value) =>
      session.turn({ message: user('Hi'), model: port, tools: [tool('act', undefined, { deadlineMs: value })] }),
  ],
  [
    'turn: what a port gives',
    ({ session }, value) => session.turn({ message: user('Hi'), model: { ref: model, generate: async () => value } }),
  ],
  ['abort: the reason', async ({ session }, value) => session.abort(value)],
  ['command: the text', ({ session }, value) => session.command(value, { model })],
  ...places('command', ['model', 'tools', 'sender', 'signal'], ({ session }, value) => session.command('/help', value)),
  ['plan: the trigger', ({ session }, value) => session.plan(value, { model })],
  ...places('plan', compaction, ({ session }, value) => session.plan('manual', value)),
  ['commit: the plan', ({ session }, value) => session.commit(value, { model })],
  ...places('commit', compaction, ({ session, plan }, value) => session.commit(plan, value)),
  ...['base', 'trigger', 'instructions', 'range', 'actions', 'expect', 'shares', 'by'].map(
    (field): Place => [
      `commit: ${field} of the plan`,
      ({ session, plan }, value) => session.commit({ ...plan, [field]: value }, { model }),
    ],
  ),
  ['compact: the trigger', ({ session }, value) => session.compact(value, { model })],
  ...places('compact', compaction, ({ session }, value) => session.compact('manual', value)),
  ['expand', ({ session }, value) => drain(session.expand(value))],
  ['undo', ({ session }, value) => session.undo(value)],
  ['moveHead: the entry', ({ session }, value) => session.moveHead(value, { reason: 'rewind' })],
  ...places('moveHead', ['reason'], ({ session }, value) => session.moveHead('x', value)),
  ['forget: the entries', ({ session }, value) => session.forget(value, 'asked for')],
  ['forget: an entry', ({ session }, value) => session.forget([value], 'asked for')],
  ['forget: the reason', ({ session }, value) => session.forget([], value)],
  ...places('explain', ['request', 'seq'], ({ session }, value) => session.explain(value)),
  ['set: the name', ({ session }, value) => session.set(value, 1)],
  ['set: the value', ({ session }, value) => session.set('name', value)],
  ['setState: the slot', ({ session }, value) => session.setState(value, 'text')],
  ['setState: the text', ({ session }, value) => session.setState('slot', value)],
  ['record: the type', ({ session }, value) => session.record(value, 1)],
  ['record: the data', ({ session }, value) => session.record('acme:data', value)],
  ...places('read', ['fromSeq', 'toSeq'], ({ session }, value) => drain(session.read(value))),
  ...places('follow', ['afterSeq', 'signal'], ({ session }, value) => firstOf(session.follow(value))),
  ['view.lastRecord', ({ session }, value) => session.view.lastRecord(value)],
];

const image = { type: 'image', image: 'https://example.test/a.png' } as const;

/** Makes a host with options, and a prompt in it. */
async function useHost(given: Parameters<typeof createHost>[0]): Promise<void> {
  const host = await createHost(given);
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: [image] });
  await session.assemble({ model });
  await host.close();
}

function useRegistry(what: string, value: never): Promise<void> {
  const facts = { contextTokens: 10_000, source: 'test', [what]: value };
  return useHost({ models: { describe: () => (what === 'describe' ? value : facts) } });
}

const query = ['agentId', 'key', 'channel', 'chatType', 'state', 'parentSessionKey', 'text', 'limit', 'after'];
const names = [
  'key',
  'agentId',
  'channel',
  'chatType',
  'identity',
  'parentSessionKey',
  'label',
  'displayName',
  'previousSessionId',
  'settings',
  'state',
];
const options = ['store', 'plugins', 'engine', 'budget', 'models', 'tokens', 'clock', 'random'];

const hostPlaces: readonly Place[] = [
  ...places('createHost', options, (_, value) => useHost(value)),
  ...['describe', 'contextTokens', 'maxInputTokens', 'requestBytes', 'imageTokens'].map(
    (what): Place => [`createHost: what the registry gives as ${what}`, (_, value) => useRegistry(what, value)],
  ),
  ['createHost: what the budget gives', (_, value) => useHost({ budget: () => value })],
  ['createHost: what the engine is', (_, value) => useHost({ engine: () => value })],
  ['open: the session id', ({ host }, value) => host.open(value)],
  ['open: the session id, to be looked at', ({ host }, value) => host.open(value, { readOnly: true })],
  ...places('open', [...names, 'readOnly'], ({ host }, value) => host.open('other', value)),
  ['open: a setting', ({ host }, value) => host.open('settings', { settings: { name: value } })],
  ['open: a state slot', ({ host }, value) => host.open('state', { state: { name: value } })],
  ['fork: the session id', ({ host }, value) => host.fork(value, { newSessionId: 'fork' })],
  ...places('fork', [...names, 'newSessionId', 'at', 'mostTokens'], ({ host }, value) => host.fork('s', value)),
  ['sessions.patch: the session id', ({ host }, value) => host.sessions.patch(value, { label: 'L' })],
  ...places('sessions.patch', ['state', 'label', 'displayName', 'currentSince'], ({ host }, value) =>
    host.sessions.patch('s', value),
  ),
  ['sessions.get', ({ host }, value) => host.sessions.get(value)],
  ...places('sessions.list', query, ({ host }, value) => host.sessions.list(value)),
  [
    'sessions.list: the session id of after',
    ({ host }, value) => host.sessions.list({ after: { updatedAt: 1, sessionId: value } }),
  ],
  [
    'sessions.list: the time of after',
    ({ host }, value) => host.sessions.list({ after: { updatedAt: value, sessionId: 's' } }),
  ],
  ['events.on: the name', ({ host }, value) => host.events.on(value, () => undefined)],
  ['events.on: the listener', ({ host }, value) => host.events.on('warning', value)],
  ...places('events.on', ['signal'], ({ host }, value) => host.events.on('warning', () => undefined, value)),
];

async function setUp(): Promise<Stage> {
  const host = await createHost({ clock: manualClock(), store: memoryStore(), budget: { inputTokens: 2_000 } });
  const session = await host.open('s');
  for (let turn = 0; turn < 12; turn += 1) {
    await session.ingest(user(`Question ${turn}: ${'silt '.repeat(60)}`));
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'sand '.repeat(60)}` });
  }
  return { host, session, plan: (await session.plan('manual', { model })) as Plan };
}

/** What is wrong with how a call ended; `null` when it works, or says in Varve's words why not. */
async function complaintOf(call: () => unknown): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    if (!VarveError.is(error)) return `raw ${String(error)}`;
    const isKnown = Object.hasOwn(errorCodes, error.code);
    return isKnown && error.fix.trim() !== '' ? null : `${error.code} without a fix`;
  }
}

async function complaintsOf(call: Place[1]): Promise<readonly string[]> {
  const stage = await setUp();
  const complaints: string[] = [];
  const note = (what: string, complaint: string | null): void => {
    if (complaint !== null) complaints.push(`${what}: ${complaint.slice(0, 200)}`);
  };
  for (const [what, value] of badValues) {
    note(what, await complaintOf(() => call(stage, value as never)));
    // Whatever was given, the session goes on.
    note(`after ${what}`, await complaintOf(() => stage.session.ingest(user('Go on.'))));
    note(`after ${what}`, await complaintOf(() => stage.session.assemble({ model })));
  }
  await stage.host.close();
  return complaints;
}

describe('a session, whatever it is given for', () => {
  test.each(sessionPlaces)('%s, works or throws an error with a code and a fix', async (_, call) => {
    expect(await complaintsOf(call)).toEqual([]);
  });
});

describe('a host, whatever it is given for', () => {
  test.each(hostPlaces)('%s, works or throws an error with a code and a fix', async (_, call) => {
    expect(await complaintsOf(call)).toEqual([]);
  });
});
