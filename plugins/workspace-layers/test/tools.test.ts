import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedder } from '@varve/plugin-workspace-layers';
import { describe, expect, it } from 'vitest';
import { breakFiles } from './broken-files.ts';
import { ask, memoryHost, use, workspaceWith, writeAt } from './memory-host.ts';

const owner = 'agent:main:main';

/** A model in which words of one meaning have one vector. */
function thesaurus(groups: readonly (readonly string[])[], embed?: Embedder['embed']): Embedder & { asked: string[] } {
  const asked: string[] = [];
  return {
    id: 'thesaurus',
    asked,
    embed:
      embed ??
      (async (texts) => {
        asked.push(...texts);
        return texts.map((text) =>
          groups.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length),
        );
      }),
  };
}

describe('memory_search', () => {
  const files = {
    'MEMORY.md': 'Ada prefers REST over gRPC.\n\nThe database is called basalt.',
    'memory/2026-03-01.md': 'We deployed the gateway.\nThe port is 4711.',
  };

  it('finds notes by their words, and says where they stand', async () => {
    const { open } = await memoryHost(workspaceWith(files));
    const session = await open(owner);
    expect(await use(session, 'memory_search', { query: 'which port does the gateway have?' })).toBe(
      '[memory/2026-03-01.md:1-2]\n| We deployed the gateway.\n| The port is 4711.',
    );
    expect(await use(session, 'memory_search', { query: '2026-03-01' })).toContain('4711');
    expect(await use(session, 'memory_search', { query: 'zeppelin' })).toBe('No note has anything of that.');
  });

  it('names the day on which a note was made as the file does: the one in the zone', async () => {
    const { open, clock } = await memoryHost(workspaceWith(), { timeZone: 'Europe/Berlin' });
    const session = await open(owner);
    clock.advance(14 * 3_600_000);
    await use(session, 'memory_save', { text: 'Ada likes tea.' });
    expect(await use(session, 'memory_search', { query: 'tea' })).toBe(
      '[memory/2026-03-03.md:2, 2026-03-03, from the model]\n| Ada likes tea.',
    );
    expect(await use(session, 'memory_get', { path: 'memory/2026-03-03.md' })).toContain(
      '[2026-03-03, from the model]',
    );
  });

  it('finds what has been added, and nothing that has been taken away', async () => {
    const dir = workspaceWith(files);
    const { open } = await memoryHost(dir);
    const session = await open(owner);
    await use(session, 'memory_search', { query: 'port' });
    writeAt(dir, { path: 'memory/2026-03-01.md', text: 'We deployed the gateway.\nThe port is 4712.' });
    writeAt(dir, { path: 'memory/2026-03-02.md', text: 'The port of basalt is 5432.' });
    expect((await use(session, 'memory_search', { query: 'port' })).match(/\d{4}(?=\.$)/gm)?.sort()).toEqual([
      '4712',
      '5432',
    ]);
  });

  it('gives no more than it is asked for, and no more than a model wants to read', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `Port ${index}. ${'clay '.repeat(400)}`).join('\n\n');
    const { open } = await memoryHost(workspaceWith({ 'MEMORY.md': lines }));
    const found = await use(await open(owner), 'memory_search', { query: 'port', limit: 5 });
    expect(found.match(/^\[MEMORY/gm)).toHaveLength(5);
    expect(found.length).toBeLessThan(7_000);
  });

  it('finds notes by their meaning with an embedder, and embeds each text once', async () => {
    const embedder = thesaurus([
      ['port', 'socket', '4711'],
      ['tea', 'drink'],
    ]);
    const { open } = await memoryHost(workspaceWith(files), { embedder });
    const session = await open(owner);
    expect(await use(session, 'memory_search', { query: 'Which socket?', limit: 1 })).toContain('4711');
    await use(session, 'memory_search', { query: 'Which socket?' });
    expect(embedder.asked.filter((text) => text.includes('4711'))).toHaveLength(1);
  });

  it('shows an embedder no note that the session may not see', async () => {
    const embedder = thesaurus([['clay']]);
    const { open } = await memoryHost(workspaceWith(files), { embedder });
    await use(await open(owner), 'memory_save', { text: 'The clay is blue.', scope: 'private' });
    embedder.asked.length = 0;
    await use(await open('agent:main:irc:group:x'), 'memory_search', { query: 'clay' });
    expect(embedder.asked).toEqual([]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no quota'))],
    [
      'throws at once',
      () => {
        throw new Error('no quota');
      },
    ],
    ['gives too few vectors', async () => []],
    ['gives numbers that are none', async (texts: readonly string[]) => texts.map(() => [Number.NaN])],
  ] as const)('falls back to words, and says so, when the embedder %s', async (_, embed) => {
    const { open, warnings } = await memoryHost(workspaceWith(files), { embedder: thesaurus([], embed as never) });
    const session = await open(owner);
    const found = await use(session, 'memory_search', { query: 'port' });
    expect(found).toContain('4711');
    expect(found).toContain('(Only words were compared: searching by meaning failed.)');
    expect(warnings).toHaveLength(1);
    expect(session.health().ok).toBe(true);
  });
});

describe('memory_get', () => {
  it('reads lines of a note from where it is asked to', async () => {
    const text = Array.from({ length: 10 }, (_, index) => `Line ${index + 1}.`).join('\n');
    const { open } = await memoryHost(workspaceWith({ 'MEMORY.md': text }));
    expect(await use(await open(owner), 'memory_get', { path: 'MEMORY.md', from: 3, lines: 2 })).toBe(
      '3| Line 3.\n4| Line 4.\n(… more from line 5 on)',
    );
  });

  it.each([
    '../MEMORY.md',
    '/etc/passwd',
    'AGENTS.md',
    'memory/../AGENTS.md',
    'memory',
    'memory/b.md',
    'memory/a.txt',
    '\u0000',
  ])('reads nothing else: %j', async (path) => {
    const dir = workspaceWith({ 'AGENTS.md': 'Rule.', 'memory/a.md': 'A.', 'memory/a.txt': 'T.' });
    const { open } = await memoryHost(dir);
    expect(await use(await open(owner), 'memory_get', { path })).toMatch(/^There is no note at .*, line 1 or later\.$/);
  });
});

describe('memory_save', () => {
  it('appends a note to the day of the user, and says for whom', async () => {
    const dir = workspaceWith();
    const { open, clock } = await memoryHost(dir, { timeZone: 'Pacific/Auckland' });
    const session = await open(owner);
    expect(await use(session, 'memory_save', { text: 'Ada likes tea.' })).toBe(
      'Saved to memory/2026-03-02.md for all sessions of the owner.',
    );
    clock.advance(3 * 3_600_000);
    await use(session, 'memory_save', { text: 'And cake.', scope: 'private' });
    expect(readdirSync(join(dir, 'memory')).sort()).toEqual(['2026-03-02.md', '2026-03-03.md']);
    expect(readFileSync(join(dir, 'memory/2026-03-02.md'), 'utf8')).toBe(
      '<!-- varve: agent from=model at=2026-03-02T09:30:00.000Z -->\nAda likes tea.\n\n',
    );
    expect(readFileSync(join(dir, 'memory/2026-03-03.md'), 'utf8')).toBe(
      '<!-- varve: private(agent:main:main) from=model at=2026-03-02T12:30:00.000Z -->\nAnd cake.\n\n',
    );
  });

  it('saves for the conversation alone where somebody else is there', async () => {
    const { open } = await memoryHost(workspaceWith());
    expect(await use(await open('agent:main:irc:group:x'), 'memory_save', { text: 'Clay.', scope: 'agent' })).toBe(
      'Saved to memory/2026-03-02.md for this conversation. Only a direct chat with the owner may save for all sessions.',
    );
  });

  it('loses no line when many save at once, and parts what somebody else has left without an end', async () => {
    const dir = workspaceWith({ 'memory/2026-03-02.md': '<!-- varve: agent -->\nby hand, without an end' });
    const { open } = await memoryHost(dir);
    const sessions = await Promise.all([1, 2, 3, 4].map((peer) => open(`agent:main:irc:direct:${peer}`)));
    const texts = Array.from({ length: 100 }, (_, index) => `note ${index}: ${'x'.repeat(1 + index * 10)}`);
    await Promise.all(texts.map((text, index) => use(sessions[index % 4] as never, 'memory_save', { text })));
    const lines = readFileSync(join(dir, 'memory/2026-03-02.md'), 'utf8').split('\n');
    expect(lines).toContain('by hand, without an end');
    for (const text of texts) expect(lines.filter((line) => line === text)).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('<!-- varve: agent from'))).toHaveLength(100);
  });

  it('tells the model when the disk refuses, and the turn goes on', async () => {
    const { open } = await memoryHost(workspaceWith());
    const session = await open(owner);
    breakFiles({ code: 'ENOSPC' });
    await expect(use(session, 'memory_save', { text: 'Clay.' })).rejects.toThrow('ENOSPC');
    expect((await ask(session)).messages).toHaveLength(1);
  });

  it('saves nothing of an incognito session', async () => {
    const dir = workspaceWith();
    const { open } = await memoryHost(dir);
    const session = await open(owner);
    await session.set('incognito', true);
    expect(await use(session, 'memory_save', { text: 'Clay.' })).toBe('Nothing was saved: this session is incognito.');
    expect(readdirSync(dir)).toEqual([]);
  });
});
