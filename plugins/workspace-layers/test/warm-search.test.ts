import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { faultyFileSystem } from '@varve/testkit/file-system';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryHost, use, workspaceWith } from './memory-host.ts';

const ada = { identity: 'ada' } as const;
const key = 'agent:main:discord:direct:42';
const peers = [0, 1, 2];

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'varve-warm-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

type Step =
  | { readonly type: 'say'; readonly peer: number; readonly word: string }
  | { readonly type: 'ramble' | 'forget' | 'rewind' | 'close'; readonly peer: number }
  | { readonly type: 'incognito'; readonly peer: number; readonly value: boolean };

const peer = fc.constantFrom(...peers);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('say' as const),
      peer,
      word: fc.constantFrom('clay', 'silt', 'sand'),
    }),
  },
  fc.record({ type: fc.constantFrom('ramble', 'forget', 'rewind', 'close'), peer }),
  fc.record({ type: fc.constant('incognito' as const), peer, value: fc.boolean() }),
);

/** What a person does in one of several conversations, in a store of its own. */
async function act(step: Step, { session, said }: { readonly session: Session; readonly said: string[] }) {
  if (step.type === 'incognito') await session.set('incognito', step.value);
  if (step.type === 'close') await session.close();
  if (step.type === 'say') {
    const content = `${step.word} of peer${step.peer}, number${said.length}.`;
    said.push((await session.ingest({ role: 'user', content })).id);
  }
  // More entries than are looked at to find where a journal ends, and nothing that is searched for.
  for (let count = step.type === 'ramble' ? 20 : 0; count > 0; count -= 1) {
    said.push((await session.ingest({ role: 'user', content: 'Gravel.' })).id);
  }
  const before = said.at(-2);
  if (step.type === 'rewind' && before !== undefined) {
    said.pop();
    await session.moveHead(before, { reason: 'rewind' });
  }
  const last = said.at(-1);
  if (step.type === 'forget' && last !== undefined) await session.forget([last], 'asked for');
}

describe('a search in earlier conversations in files', () => {
  it('finds the same whether the sessions were searched before or never', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { minLength: 2, maxLength: 4 }), async (rounds) => {
        const root = folder();
        await using store = jsonlStore({ root, durability: 'os' });
        await using own = jsonlStore({ root, durability: 'os' });
        const writer = await memoryHost(workspaceWith(), { store: own });
        const searcher = async () => memoryHost(workspaceWith(), { store, pastSessions: { store } });
        const warm = await (await searcher()).host.open('warm', { key, ...ada });
        const said = new Map(peers.map((one) => [one, [] as string[]]));
        for (const round of rounds) {
          for (const one of round) {
            const session = await writer.host.open(`p${one.peer}`, {
              key: `agent:main:irc:direct:${one.peer}`,
              ...ada,
            });
            await act(one, { session, said: said.get(one.peer) ?? [] });
          }
          const fresh = await (await searcher()).host.open('fresh', { key, ...ada });
          for (const query of ['clay', 'silt number3', 'peer1']) {
            const [found, expected] = [
              await use(warm, 'memory_search', { query, limit: 20 }),
              await use(fresh, 'memory_search', { query, limit: 20 }),
            ];
            expect(new Set(found.split('\n\n'))).toEqual(new Set(expected.split('\n\n')));
          }
          await fresh.close();
        }
        await writer.host.close();
        await warm.close();
      }),
      { numRuns: 20 },
    );
  });

  it('reads the end alone of a conversation that it knows, however long that is', async () => {
    const root = folder();
    await using own = jsonlStore({ root, durability: 'os' });
    const writer = await memoryHost(workspaceWith(), { store: own });
    const there = await writer.host.open('there', { key: 'agent:main:irc:direct:1', ...ada });
    const say = (content: string) => there.ingest({ role: 'user', content: `${content} ${'silt '.repeat(100)}` });
    for (let index = 0; index < 400; index += 1) await say(`Clay ${index}.`);
    const fileSystem = faultyFileSystem();
    await using store = jsonlStore({ root, durability: 'os', fileSystem });
    const { open } = await memoryHost(workspaceWith(), { store, pastSessions: { store } });
    const here = await open(key, ada);
    const search = async (query: string) => {
      const before = fileSystem.bytesRead;
      const found = await use(here, 'memory_search', { query, limit: 1 });
      return { found, bytes: fileSystem.bytesRead - before };
    };
    expect((await search('nothing')).bytes).toBeGreaterThan(250_000);
    // One look at where the journal ends, and the last entry: it is the same journal.
    expect((await search('nothing')).bytes).toBeLessThan(64_000);
    await say('The newest is basalt.');
    expect((await search('nothing')).bytes).toBeLessThan(64_000);
    expect((await search('basalt')).found).toContain('The newest is basalt.');
  });
});
