import { type Host, type Message, memoryStore, type Provenance, type Session, type Store } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryHost, use, workspaceWith } from './memory-host.ts';
import { rooms as ownRooms, type Room } from './rooms.ts';

/** Rooms beside those of one agent: other agents, and direct chats without a key. */
const moreRooms: readonly Room[] = [
  { name: 'other agent', key: 'agent:other:main', options: { identity: 'ada' }, is: 'direct' },
  { name: 'other telegram', key: 'agent:other:telegram:direct:user_123', options: { identity: 'ada' }, is: 'direct' },
  { name: 'other group', key: 'agent:other:discord:group:team_456', options: {}, is: 'group' },
  { name: 'other global', key: 'global', options: { agentId: 'other' }, is: 'group' },
  { name: 'other child', key: 'agent:other:subagent:1', options: { identity: 'ada' }, is: 'subagent' },
  { name: 'no key, direct', key: null, options: { identity: 'ada', chatType: 'direct' }, is: 'direct' },
  { name: 'no key, nobody', key: null, options: { chatType: 'direct' }, is: 'direct' },
  { name: 'said group, not said', key: 'agent:main:direct:ada', options: { identity: 'ada' }, is: 'direct' },
  { name: 'free key, a group', key: 'ada-on-the-phone', options: { chatType: 'group' }, is: 'group' },
  { name: 'main, nobody', key: 'agent:main:main', options: {}, is: 'direct' },
  { name: 'nothing is known', key: null, options: {}, is: 'group' },
];
const rooms = [...ownRooms, ...moreRooms];

/** What happens in a session. `at` chooses among what was said before. */
type Act =
  | { readonly do: 'user' | 'model' | 'result' | 'thought' | 'system' }
  | { readonly do: 'program'; readonly kind: Provenance['kind'] }
  | { readonly do: 'incognito'; readonly on: boolean }
  | { readonly do: 'forget'; readonly at: number }
  | { readonly do: 'rewind'; readonly at: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Act>({ do: 'user' }, { do: 'model' }) },
  { weight: 2, arbitrary: fc.constantFrom<Act>({ do: 'result' }, { do: 'thought' }, { do: 'system' }) },
  fc.record({
    do: fc.constant('program' as const),
    kind: fc.constantFrom<Provenance['kind']>('system-event', 'subagent', 'inter-session', 'tool', 'plugin'),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('incognito' as const), on: fc.boolean() }) },
  fc.record({ do: fc.constant('forget' as const), at: fc.nat(20) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rewind' as const), at: fc.nat(20) }) },
);

const acts = fc.array(act, { maxLength: 7 });
/** Of a room, those that have anything in common with it, itself among them: others are seldom worth a question. */
const near = (reader: Room): readonly Room[] =>
  rooms.filter(
    ({ key, options }) =>
      key === reader.key || (options.identity !== undefined && options.identity === reader.options.identity),
  );
const past = (reader: Room) =>
  fc.record({
    room: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...rooms) },
      { weight: 3, arbitrary: fc.constantFrom(...near(reader)) },
      { weight: 2, arbitrary: fc.constant(reader) },
    ),
    before: acts,
    after: acts,
    ending: fc.constantFrom('open', 'closed', 'archived'),
  });
type Past = ReturnType<typeof past> extends fc.Arbitrary<infer Each> ? Each : never;

/** A session that is played, and what of it may be seen by those who may see it: said again in the simplest words. */
interface Played {
  readonly id: string;
  readonly session: Session;
  readonly path: { readonly word: string; readonly id: string; readonly isSaid: boolean; isHidden: boolean }[];
  isIncognito: boolean;
}

let words = 0;

/** Adds what an act says, if it says anything, with a word of its own in it. */
async function say({ session, path, isIncognito }: Played, act: Act): Promise<void> {
  words += 1;
  const word = `mark${words}x`;
  const text = `The clay of ${word}.`;
  const add = async (message: Message, kind: Provenance['kind'], isSaid = false): Promise<void> => {
    const { id } = await session.ingest(message, { provenance: { kind } });
    path.push({ word, id, isSaid, isHidden: isIncognito });
  };
  if (act.do === 'user') await add({ role: 'user', content: text }, 'user', true);
  if (act.do === 'model') await add({ role: 'assistant', content: text }, 'model', true);
  if (act.do === 'program') await add({ role: 'user', content: text }, act.kind);
  if (act.do === 'system') await add({ role: 'system', content: text }, 'user');
  if (act.do === 'thought') {
    await add(
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text },
          { type: 'text', text: 'Yes.' },
        ],
      },
      'model',
    );
  }
  if (act.do === 'result') {
    const call = { toolCallId: word, toolName: 'read' };
    const output = { type: 'text', value: text } as const;
    await add({ role: 'assistant', content: [{ type: 'tool-call', ...call, input: { text } }] }, 'model');
    await add({ role: 'tool', content: [{ type: 'tool-result', ...call, output }] }, 'tool');
  }
}

async function play(played: Played, acts: readonly Act[]): Promise<void> {
  const { session, path } = played;
  for (const act of acts) {
    if (act.do === 'incognito') {
      await session.set('incognito', act.on);
      played.isIncognito = act.on;
    } else if (act.do === 'rewind' || act.do === 'forget') {
      const said = path.filter(({ isSaid }) => isSaid);
      const chosen = said[act.at % Math.max(1, said.length)];
      if (chosen === undefined) continue;
      if (act.do === 'rewind') {
        await session.moveHead(chosen.id, { reason: 'rewind' });
        path.splice(path.indexOf(chosen) + 1);
      } else {
        await session.forget([chosen.id], 'asked for');
        chosen.isHidden = true;
      }
    } else await say(played, act);
  }
}

/** Who may see what was said in one room, from another one. */
function mayRead(from: Room, reader: Room): boolean {
  const agentOf = ({ key, options }: Room): string =>
    options.agentId ?? /^agent:([^:]+):/.exec(key ?? '')?.[1] ?? 'main';
  if (agentOf(from) !== agentOf(reader) || from.is !== reader.is || reader.is === 'subagent') return false;
  if (reader.key !== null && reader.key === from.key) return true;
  const { identity } = reader.options;
  return reader.is === 'direct' && identity !== undefined && identity === from.options.identity;
}

function openRoom(host: Host, { id, room }: { readonly id: string; readonly room: Room }): Promise<Session> {
  return host.open(id, { ...room.options, ...(room.key === null ? {} : { key: room.key }) });
}

async function end(played: Played, { store, ending }: { readonly store: Store; readonly ending: Past['ending'] }) {
  if (ending === 'open') return;
  await played.session.close();
  if (ending === 'closed') return;
  const record = await store.sessions.get(played.id);
  await store.sessions.put(played.id, { state: 'archived' }, { expectedRev: record?.rev ?? 0 });
}

const wordsIn = (text: string): readonly string[] => [...new Set(text.match(/mark\d+x/g) ?? [])].sort();

describe('what was said in other sessions', () => {
  it('is found and read by those alone who may see it, and only what may be seen of it', async () => {
    const world = fc
      .constantFrom(...rooms)
      .chain((reader) =>
        fc.record({ pasts: fc.array(past(reader), { minLength: 1, maxLength: 4 }), reader: fc.constant(reader) }),
      );
    await fc.assert(
      fc.asyncProperty(world, async ({ pasts, reader }) => {
        const store = memoryStore();
        const { host } = await memoryHost(workspaceWith(), { store, pastSessions: { store } });
        const played: Played[] = [];
        for (const [index, { room }] of pasts.entries()) {
          const id = `past ${index}`;
          played.push({ id, session: await openRoom(host, { id, room }), path: [], isIncognito: false });
        }
        const session = await openRoom(host, { id: 'reader', room: reader });
        const phases = [
          async (each: Played, given: Past) => {
            await play(each, given.before);
          },
          async (each: Played, given: Past) => {
            await play(each, given.after);
            await end(each, { store, ending: given.ending });
          },
        ];
        for (const phase of phases) {
          for (const [index, each] of played.entries()) await phase(each, pasts[index] as Past);
          const open = played.filter(
            ({ isIncognito }, index) => !isIncognito && mayRead((pasts[index] as Past).room, reader),
          );
          const seen = open
            .flatMap(({ path }) => path)
            .filter(({ isSaid, isHidden }) => isSaid && !isHidden)
            .map(({ word }) => word);
          const found = await use(session, 'memory_search', { query: 'clay', limit: 20 });
          expect(wordsIn(found)).toHaveLength(Math.min(20, seen.length));
          expect(seen).toEqual(expect.arrayContaining([...wordsIn(found)]));
          for (const { word } of played.flatMap(({ path }) => path)) {
            expect(wordsIn(await use(session, 'memory_search', { query: word }))).toEqual(
              seen.includes(word) ? [word] : [],
            );
          }
          const read: string[] = [];
          for (const { id } of played) {
            const last = (await store.sessions.get(id))?.counters.countedSeq ?? 0;
            for (let seq = 1; seq <= Math.max(30, last); seq += 1) {
              const path = `session ${id.replace(' ', '%20')} #${seq}`;
              read.push(...wordsIn(await use(session, 'memory_get', { path })));
            }
          }
          expect([...new Set(read)].sort()).toEqual(seen.toSorted());
        }
        await host.close();
      }),
      { numRuns: 150 },
    );
  });
});
