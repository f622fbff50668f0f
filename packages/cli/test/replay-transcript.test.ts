import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Replay, replayTranscript } from '@varve/cli';
import { definePlugin, type Entry, type Plugin, type PluginContext } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  beginning,
  claudeSession,
  giantCall,
  jsonLines,
  openAiConversations,
  piSession,
} from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** A plugin that does one thing. */
function plugin(name: string, apply: (context: PluginContext) => void): Plugin {
  const options = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options, apply })();
}

/** Compacts when the prompt is over its hard limit. */
const threshold = (): Plugin =>
  plugin('acme/threshold', ({ hooks }) => {
    hooks.shouldCompact.tapPromise('compare', ({ tokens, budget }) => tokens > budget.hard);
  });

/** Gives replays a folder of their own for temporary files, and says what they left in it. */
function temporaryFiles(name: string): () => readonly string[] {
  const path = folder.folder(name);
  vi.stubEnv('TMPDIR', path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return () => readdirSync(path);
}

async function entriesOf(root: string, session: string): Promise<readonly Entry[]> {
  await using store = jsonlStore({ root });
  const journal = await store.open(session, { readOnly: true });
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  return entries;
}

function sum(replay: Replay, name: 'cacheRead' | 'cacheWrite' | 'uncached' | 'cost' | 'dropped'): number {
  return replay.requests.reduce((total, row) => total + row[name], 0);
}

describe('a replay', () => {
  it('makes one request for each answer of a model, before the answer is there', async () => {
    const file = folder.file('plain.jsonl', piSession({ tasks: 3, calls: 2 }));
    const replay = await replayTranscript({ file });
    expect(replay).toMatchObject({ file, format: 'pi', entries: 18, interrupted: false });
    expect(replay.requests.map(({ turn, entries }) => [turn, entries])).toEqual(
      [1, 3, 5, 7, 9, 11, 13, 15, 17].map((entries, index) => [index + 1, entries]),
    );
    expect(replay.requests[0]).toMatchObject({ request: 1, model: 'anthropic/claude-sonnet-4-5', budget: 32_000 });
    expect(replay.requests[0]?.at).toBe(beginning + 4_000);
  });

  it('adds every number up to what it is a part of', async () => {
    const file = folder.file('sums.jsonl', piSession({ tasks: 40 }));
    const replay = await replayTranscript({ file, budgetTokens: 6_000, systemTokens: 1_500, plugins: [threshold()] });
    const { totals } = replay;
    for (const { tokens, layers, cacheRead, cacheWrite, uncached } of replay.requests) {
      expect(layers.system + layers.summary + layers.history + layers.live + layers.notes + layers.volatile).toBe(
        tokens,
      );
      expect(cacheRead + cacheWrite + uncached).toBe(tokens);
      expect(tokens).toBeLessThanOrEqual(6_000);
    }
    expect(totals).toMatchObject({ requests: 160, failed: 0, invalid: 0, compactions: replay.compactions.length });
    expect(replay.compactions.length).toBeGreaterThan(3);
    for (const name of ['cacheRead', 'cacheWrite', 'uncached', 'dropped'] as const) {
      expect(totals[name]).toBe(sum(replay, name));
    }
    expect(totals.cost).toBeCloseTo(sum(replay, 'cost'), 0);
    expect(totals.costRatio).toBeLessThan(0.6);
  });

  it('costs the same as sending everything when it sends everything', async () => {
    const file = folder.file('everything.jsonl', piSession({ tasks: 30, stepMs: 40_000 }));
    const replay = await replayTranscript({ file, budgetTokens: null, systemTokens: 5_000 });
    expect(replay.totals.everything).toMatchObject({ cost: replay.totals.cost, hitRate: replay.totals.hitRate });
    expect(replay.totals.costRatio).toBe(1);
    expect(replay.requests.every(({ cacheRead }, index) => index === 0 || cacheRead >= 5_000)).toBe(true);
  });

  it('counts what core had to make up for an interrupted call on both sides', async () => {
    const say = (role: string, ...content: readonly object[]): object => ({
      type: 'message',
      message: { role, content },
    });
    const text = { type: 'text', text: 'word '.repeat(3_000) };
    const toolCall = { type: 'toolCall', id: 'call_1', name: 'read', arguments: { path: 'a.ts' } };
    const turns = [say('user', text), say('assistant', toolCall), say('user', text), say('assistant', text)];
    const header = { type: 'session', version: 3, id: 'interrupted', cwd: '/' };
    const file = folder.file('interrupted.jsonl', jsonLines([header, ...turns, say('user', text), say('assistant')]));
    const { totals, requests } = await replayTranscript({ file, budgetTokens: null });
    expect(requests.map(({ tokens }) => tokens)).toEqual(requests.map(({ everything }) => everything.tokens));
    expect(totals.costRatio).toBe(1);
  });

  it('shows compactions as actions of the requests that they were made for', async () => {
    const file = folder.file('compactions.jsonl', piSession({ tasks: 20 }));
    const { requests, compactions } = await replayTranscript({ file, budgetTokens: 4_000, plugins: [threshold()] });
    const acted = requests.filter(({ actions }) => actions.includes('compaction')).map(({ turn }) => turn);
    expect(acted).toEqual([...new Set(compactions.map(({ turn }) => turn))]);
    expect(requests.some(({ layers }) => layers.summary > 0)).toBe(true);
  });

  it('counts what a cut leaves out once, and how much is missing at each request', async () => {
    const file = folder.file('cut.jsonl', piSession({ tasks: 20 }));
    const replay = await replayTranscript({ file, budgetTokens: 4_000 });
    const last = replay.requests.at(-1);
    expect(replay.totals.compactions).toBe(0);
    expect(last?.leftOut).toBeGreaterThan(0);
    expect(replay.totals.dropped).toBeGreaterThanOrEqual(last?.leftOut ?? 0);
    expect(replay.totals.dropped).toBeLessThanOrEqual(replay.entries);
  });

  it('goes by the time of the transcript, and by the gap where there is none', async () => {
    const timed = folder.file('timed.jsonl', piSession({ tasks: 4, words: 900, stepMs: 400_000 }));
    const replay = await replayTranscript({ file: timed, systemTokens: 2_000 });
    expect(sum(replay, 'cacheRead')).toBe(0);
    const untimed = folder.file('untimed.jsonl', piSession({ tasks: 4, words: 900, stepMs: null }));
    const warm = await replayTranscript({ file: untimed, gapMs: 60_000 });
    expect(warm.requests.map(({ at }) => at)).toEqual(warm.requests.map((_, index) => (index + 1) * 60_000));
    expect(sum(warm, 'cacheRead')).toBeGreaterThan(0);
    const cold = await replayTranscript({ file: untimed, gapMs: 301_000 });
    expect(sum(cold, 'cacheRead')).toBe(0);
  });

  it('takes the life of the cache from the transcript, and the usage that it reports', async () => {
    const file = folder.file('claude.jsonl', claudeSession({ tasks: 6 }));
    const { settings, totals } = await replayTranscript({ file, systemTokens: 2_000 });
    expect(settings.cacheTtl).toBe('1h');
    expect(totals.recordedCompactions).toBe(1);
    expect(totals.recorded).toEqual({
      ...{ cacheRead: 5_400, cacheWrite: 540, input: 60, output: 120, hitRate: 0.9 },
      untilCompaction: { cacheRead: 2_700, cacheWrite: 270, input: 30, output: 60, hitRate: 0.9 },
    });
    expect(totals.untilCompaction.cacheRead).toBeLessThan(totals.cacheRead);
    const short = await replayTranscript({ file, cacheTtl: '5m' });
    expect(short.settings.cacheTtl).toBe('5m');
  });

  it('keeps what is no message in the journal as records', async () => {
    const root = join(folder.path, 'records');
    const file = folder.file('kept.jsonl', claudeSession({ tasks: 2 }));
    const { sessions } = await replayTranscript({ file, root });
    expect(sessions).toEqual([{ item: 1, session: 'kept', entries: 4 }]);
    const entries = await entriesOf(root, 'kept');
    expect(entries.filter(({ type }) => type === 'transcripts:compaction')).toMatchObject([
      { data: { format: 'claude-code', summary: 'This is a summary.', tokensBefore: 1_000 } },
    ]);
    expect(entries.filter(({ type }) => type === 'transcripts:unknown')).toMatchObject([
      { data: { type: 'progress' } },
      { data: { type: 'progress' } },
    ]);
  });

  it('takes an empty answer as a call, and loses nothing by leaving it out', async () => {
    const lines = piSession({ tasks: 2, calls: 0 }).trimEnd().split('\n');
    const empty = { type: 'message', message: { role: 'assistant', content: [], stopReason: 'aborted' } };
    const file = folder.file('empty-answer.jsonl', [...lines, JSON.stringify(empty), ''].join('\n'));
    const replay = await replayTranscript({ file });
    expect(replay.requests).toHaveLength(3);
    expect(replay.entries).toBe(5);
    expect(replay.totals).toMatchObject({ dropped: 0, emptyMessages: 0, invalid: 0 });
    const more = { type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: 'Again.' }] } };
    const later = folder.file('empty-later.jsonl', jsonLines([...lines.map((line) => JSON.parse(line)), empty, more]));
    expect((await replayTranscript({ file: later })).totals).toMatchObject({ dropped: 0, emptyMessages: 1 });
  });

  it('replays each conversation of a file in a session of its own', async () => {
    const root = join(folder.path, 'several');
    const file = folder.file('several.jsonl', openAiConversations(3));
    const all = await replayTranscript({ file, root });
    expect(all.sessions.map(({ session }) => session)).toEqual(['several.1', 'several.2', 'several.3']);
    expect(all.requests.map(({ item, turn, request }) => [item, turn, request])).toEqual(
      [1, 2, 3].flatMap((item) => [1, 2].map((turn) => [item, turn, turn])),
    );
    expect(all.requests[0]?.layers.system).toBeGreaterThan(0);
    const one = await replayTranscript({ file, item: 2 });
    expect(one.requests.map(({ item }) => item)).toEqual([2, 2]);
    await expect(replayTranscript({ file, item: 4 })).rejects.toMatchObject({ code: 'VARVE_TRANSCRIPT_ITEM' });
  });

  it('keeps the model until the transcript changes it', async () => {
    const say = (role: string, more: object = {}): object => {
      return { type: 'message', message: { role, content: [{ type: 'text', text: role }], ...more } };
    };
    const file = folder.file(
      'models.jsonl',
      jsonLines([
        { type: 'session', version: 3, id: 'a', cwd: '/' },
        say('user'),
        say('assistant'),
        { type: 'model_change', provider: 'openai', modelId: 'gpt-5' },
        say('user'),
        say('assistant'),
        say('user'),
        say('assistant', { model: 'claude-opus-4-6' }),
        say('user'),
        say('assistant'),
      ]),
    );
    const { requests } = await replayTranscript({ file });
    expect(requests.map(({ model }) => model)).toEqual([
      'anthropic/claude-sonnet-4-5',
      'openai/gpt-5',
      'anthropic/claude-opus-4-6',
      'anthropic/claude-opus-4-6',
    ]);
  });

  it('never replays into a session that is there', async () => {
    const root = join(folder.path, 'twice');
    const file = folder.file('twice.jsonl', piSession({ tasks: 1 }));
    const first = await replayTranscript({ file, root });
    const second = await replayTranscript({ file, root });
    expect([first, second].map(({ sessions }) => sessions[0]?.session)).toEqual(['twice', 'twice~2']);
    expect(second.entries).toBe(first.entries);
  });

  it('removes its journals at the end, also when it fails', async () => {
    const leftovers = temporaryFiles('removed');
    const file = folder.file('removed.jsonl', piSession({ tasks: 2 }));
    await replayTranscript({ file });
    await expect(replayTranscript({ file, budgetTokens: 1 })).rejects.toMatchObject({
      code: 'VARVE_BUDGET_IMPOSSIBLE',
    });
    expect(leftovers()).toEqual([]);
  });

  it('takes time that grows as the transcript does', async () => {
    const count = async (tasks: number): Promise<number> => {
      let counted = 0;
      const counting = plugin('acme/counting', ({ hooks }) => {
        hooks.shape.tapPromise('count', (draft) => {
          counted += draft.items.length;
        });
      });
      const file = folder.file(`linear-${tasks}.jsonl`, piSession({ tasks }));
      await replayTranscript({ file, budgetTokens: 4_000, plugins: [threshold(), counting] });
      return counted;
    };
    const [once, twice] = [await count(40), await count(80)];
    expect(twice / once).toBeLessThan(2.2);
  });
});

describe('a replay that goes wrong in part', () => {
  it('names a plugin that throws, and goes on without it', async () => {
    const file = folder.file('throws.jsonl', piSession({ tasks: 3 }));
    const broken = plugin('acme/broken', ({ hooks }) => {
      hooks.shape.tapPromise('break', () => {
        throw new Error('no luck');
      });
    });
    const { health, totals } = await replayTranscript({ file, plugins: [broken] });
    expect(health.ok).toBe(false);
    expect(health.findings[0]).toMatchObject({ name: 'acme/broken', where: 'shape: break', lastError: 'no luck' });
    expect(totals).toMatchObject({ requests: 12, failed: 0, invalid: 0 });
  });

  it('is stopped by its signal while a plugin hangs, and keeps what it has', async () => {
    const leftovers = temporaryFiles('stopped');
    const controller = new AbortController();
    let prompts = 0;
    const hanging = plugin('acme/hanging', ({ hooks }) => {
      hooks.shape.tapPromise('hang', async () => {
        prompts += 1;
        if (prompts < 4) return;
        controller.abort();
        await new Promise(() => undefined);
      });
    });
    const file = folder.file('hangs.jsonl', piSession({ tasks: 3 }));
    const { signal } = controller;
    const bodies = join(folder.path, 'hangs-bodies');
    const replay = await replayTranscript({ file, plugins: [hanging], signal, bodies });
    expect(replay.interrupted).toBe(true);
    expect(replay.requests).toHaveLength(3);
    expect(readdirSync(bodies)).toHaveLength(3);
    expect(leftovers()).toEqual([]);
  });

  it('counts messages that a plugin refuses', async () => {
    const file = folder.file('refused.jsonl', piSession({ tasks: 2 }));
    const strict = plugin('acme/strict', ({ hooks }) => {
      hooks.ingest.tapPromise('refuse tools', ({ message }) => {
        if (message.role === 'tool') throw new Error('no tools here');
      });
    });
    const replay = await replayTranscript({ file, plugins: [strict] });
    expect(replay.totals).toMatchObject({ refused: 6, invalid: 0, failed: 0 });
    expect(replay.entries).toBe(10);
  });

  it('reports a request that cannot be made, and makes the others', async () => {
    const file = folder.file('giant.json', giantCall(6_000));
    const { requests, totals } = await replayTranscript({ file, budgetTokens: 1_000, plugins: [threshold()] });
    expect(totals).toMatchObject({ requests: 3, failed: 1 });
    expect(requests.at(-1)).toMatchObject({ request: null, tokens: 0, error: { code: 'VARVE_BUDGET_IMPOSSIBLE' } });
  });

  it('gives up when none of many requests fits', async () => {
    const file = folder.file('hopeless.jsonl', piSession({ tasks: 40, words: 5 }));
    const error = { code: 'VARVE_BUDGET_IMPOSSIBLE', message: expect.stringContaining('Not one of 100 requests fits') };
    await expect(replayTranscript({ file, budgetTokens: 1 })).rejects.toMatchObject(error);
  });

  it('refuses a budget that the system prompt alone fills, before it does anything', async () => {
    const file = folder.file('no-room.jsonl', piSession({ tasks: 1 }));
    const root = join(folder.path, 'no-room');
    const replay = replayTranscript({ file, budgetTokens: 5_000, systemTokens: 5_000, root });
    await expect(replay).rejects.toMatchObject({ code: 'VARVE_BUDGET_IMPOSSIBLE' });
    expect(existsSync(root)).toBe(false);
  });
});

describe('the bodies of a replay', () => {
  it('are one file a request, with the body and its manifest', async () => {
    const file = folder.file('bodies.jsonl', piSession({ tasks: 2, calls: 1 }));
    const bodies = join(folder.path, 'bodies');
    const replay = await replayTranscript({ file, bodies });
    expect(readdirSync(bodies)).toEqual(['000001.json', '000002.json', '000003.json', '000004.json']);
    const last = JSON.parse(readFileSync(join(bodies, '000004.json'), 'utf8'));
    expect(Object.keys(last)).toEqual(['request', 'body', 'manifest']);
    expect(last).toMatchObject({ request: 4, body: { model: 'claude-sonnet-4-5' }, manifest: { request: 4 } });
    expect(last.body.messages.at(-1).content.at(-1).cache_control).toEqual({ type: 'ephemeral' });
    expect(last.manifest.entries).toHaveLength(replay.requests[3]?.entries ?? 0);
  });

  it('replace those of an earlier replay, and leave other files alone', async () => {
    const bodies = join(folder.path, 'replaced');
    await replayTranscript({ file: folder.file('long.jsonl', piSession({ tasks: 3 })), bodies });
    const note = folder.file('replaced/note.txt', 'mine');
    await replayTranscript({ file: folder.file('short.jsonl', openAiConversations(2)), bodies });
    expect(readdirSync(bodies)).toEqual(['000001.json', '000002.json', '000003.json', '000004.json', 'note.txt']);
    expect(readFileSync(note, 'utf8')).toBe('mine');
    expect(JSON.parse(readFileSync(join(bodies, '000003.json'), 'utf8'))).toMatchObject({ request: 3, item: 2 });
  });

  // name · what somebody put there
  it.each([
    ['000001.json', '{"mine":true}'],
    ['000002.json', '{"request":1,"body":{"messages":[]}}'],
    ['000003.json', '{"request":3,"user":"logged"}'],
    ['000123.json', ''],
    ['1234567.json', '[]'],
  ])('never replace or remove a file that no replay wrote: %s with %s', async (name, content) => {
    const bodies = folder.folder(`foreign-${name}`);
    const file = folder.file('f.jsonl', piSession({ tasks: 1, calls: 1 }));
    await replayTranscript({ file, bodies });
    const own = folder.file(join(`foreign-${name}`, name), content);
    const before = readdirSync(bodies).map((one) => readFileSync(join(bodies, one), 'utf8'));
    await expect(replayTranscript({ file, bodies, budgetTokens: 60 })).rejects.toMatchObject({ code: 'VARVE_USAGE' });
    expect(readFileSync(own, 'utf8')).toBe(content);
    expect(readdirSync(bodies).map((one) => readFileSync(join(bodies, one), 'utf8'))).toEqual(before);
  });

  it('stay as they were when the next replay fails, or finds a file of somebody else when it ends', async () => {
    const bodies = join(folder.path, 'kept');
    const file = folder.file('kept.jsonl', piSession({ tasks: 2, calls: 1 }));
    await replayTranscript({ file, bodies });
    const contents = (): readonly string[] =>
      readdirSync(bodies).map((name) => `${name} ${readFileSync(join(bodies, name), 'utf8')}`);
    const before = contents();
    await expect(replayTranscript({ file, bodies, budgetTokens: 1 })).rejects.toMatchObject({
      code: 'VARVE_BUDGET_IMPOSSIBLE',
    });
    expect(contents()).toEqual(before);
    const late = plugin('acme/late', ({ hooks }) => {
      hooks.shape.tapPromise('write', () => {
        folder.file('kept/000009.json', 'mine');
      });
    });
    await expect(replayTranscript({ file, bodies, plugins: [late] })).rejects.toMatchObject({ code: 'VARVE_USAGE' });
    expect(contents()).toEqual([...before, '000009.json mine']);
  });
});
