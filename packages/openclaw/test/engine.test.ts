import { createHost, VarveError } from '@varve/core';
import plugin, { type OpenClawEngine } from '@varve/openclaw';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it } from 'vitest';
import { assistant, fakeOpenClaw, folder, journalOf, type Said, saidIn, textsOf, user } from './fake-openclaw.ts';

const session = { sessionId: 's1', sessionKey: 'agent:main:main' };
const model = 'fake/small';
const words = 'Of the harbour I know this, and of its tides. '.repeat(60);

interface Turn {
  readonly transcript: Said[];
  readonly budget?: number;
}

/** One turn as OpenClaw 2026.9 runs it: two prompts, the second of them for the list that the first one gave. */
async function turn(
  engine: OpenClawEngine,
  said: readonly Said[],
  { transcript, budget = 4_000 }: Turn,
): Promise<readonly Said[]> {
  const [asked] = textsOf(said);
  const prompt = { ...session, model, prompt: asked, tokenBudget: budget };
  const first = await engine.assemble({ ...prompt, messages: [...transcript] });
  const { messages } = await engine.assemble({ ...prompt, messages: first.messages });
  await engine.commitTurn({ ...session, messages: said, advancementKey: `turn ${transcript.length}` });
  transcript.push(...said);
  return messages;
}

const isCode = (code: string) => (error: unknown) => VarveError.is(error) && error.code === code;

describe('a turn that is committed', () => {
  it('stores what was said once, and nothing of what was made up for prompts', async () => {
    const root = folder();
    const host = fakeOpenClaw({ root });
    const transcript: Said[] = [];
    const seen: (readonly string[])[] = [];
    for (const number of [1, 2, 3, 4, 5, 6]) {
      const engine = host.engine();
      await engine.bootstrap(session);
      const said = [user(`Question ${number}. ${words}`), assistant(`Answer ${number}.`)];
      seen.push(textsOf(await turn(engine, said, { transcript })));
      await engine.maintain(session);
      await engine.dispose();
    }
    expect(saidIn(root)).toEqual(textsOf(transcript));
    expect(seen[0]).toEqual([]);
    expect(seen.at(-1)?.length).toBeLessThan(transcript.length - 2);
    expect(host.warnings).toEqual([]);
  });

  it('is committed once, also by another engine, and after a process that ended in its middle', async () => {
    const root = folder();
    const host = fakeOpenClaw({ root });
    const messages = [user('Hello?'), assistant('Hello.')];
    const commit = { ...session, messages, advancementKey: 'k1' };
    const first = host.engine();
    // What a process has stored before it ended.
    expect(await first.ingestBatch({ ...session, messages: messages.slice(0, 1) })).toEqual({ ingestedCount: 1 });
    await first.dispose();
    const second = host.engine();
    expect(await second.commitTurn(commit)).toEqual({ status: 'committed' });
    expect(await second.commitTurn(commit)).toEqual({ status: 'duplicate' });
    await second.dispose();
    const third = fakeOpenClaw({ root }).engine();
    expect(await third.commitTurn(commit)).toEqual({ status: 'duplicate' });
    await third.dispose();
    expect(saidIn(root)).toEqual(['Hello?', 'Hello.']);
  });

  it('takes over what OpenClaw has said before the plugin came, and gives its own objects back', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root }).engine();
    const transcript = [user('Long ago.'), assistant('Indeed.'), user('Yesterday.'), assistant('So it was.')];
    const { messages } = await engine.assemble({ ...session, model, messages: transcript, tokenBudget: 4_000 });
    expect(messages).toHaveLength(4);
    for (const [index, message] of messages.entries()) expect(message).toBe(transcript[index]);
    await engine.dispose();
    expect(saidIn(root)).toEqual(textsOf(transcript));
  });

  it('learns what OpenClaw sends besides, and leaves room for it', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root }).engine();
    const transcript: Said[] = [];
    await turn(engine, [user('Hello.'), assistant('Hello.', 3_000)], { transcript, budget: 10_000 });
    await turn(engine, [user('And?'), assistant('So.', 3_020)], { transcript, budget: 10_000 });
    await engine.dispose();
    const [first, second] = journalOf(root).filter(({ message }) => message?.role === 'assistant');
    expect(first).not.toHaveProperty('usage');
    expect(second).toHaveProperty('usage.inputTokens', 3_020);
    const reserved = journalOf(root).flatMap((line) =>
      line.type === 'request' ? [Object(line)['reserved'] ?? 0] : [],
    );
    expect(reserved[0]).toBeLessThan(100);
    expect(reserved.at(-1)).toBeGreaterThan(2_900);
  });

  it('is nobody’s words where nobody began it', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root }).engine();
    const messages = [user('Heartbeat.'), assistant('Nothing to do.')];
    await engine.commitTurn({ ...session, messages, advancementKey: 'k1', isHeartbeat: true });
    await engine.dispose();
    expect(journalOf(root).find(({ message }) => message?.role === 'user')?.provenance).toEqual({
      kind: 'system-event',
    });
  });
});

describe('a turn of older versions', () => {
  it('comes message by message, as a batch, and as a whole list, and is stored once', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root }).engine();
    const [question, answer, next] = [user('Hello?'), assistant('Hello.'), user('And?')];
    expect(await engine.ingest({ ...session, message: question })).toEqual({ ingested: true });
    expect(await engine.ingest({ ...session, message: question })).toEqual({ ingested: false });
    expect(await engine.ingestBatch({ ...session, messages: [question, answer] })).toEqual({ ingestedCount: 1 });
    await engine.afterTurn({ ...session, messages: [question, answer, next] });
    await engine.afterTurn({ ...session, messages: [question, answer, next] });
    await engine.dispose();
    expect(saidIn(root)).toEqual(['Hello?', 'Hello.', 'And?']);
  });
});

describe('a compaction', () => {
  async function longTalk(engine: OpenClawEngine): Promise<Said[]> {
    const transcript: Said[] = [];
    const said = [user('Remember nonce-4711.'), assistant('I do.')];
    await turn(engine, said, { transcript, budget: 20_000 });
    for (const number of [1, 2, 3]) {
      await turn(engine, [user(`${number}. ${words}`), assistant('So.')], { transcript, budget: 20_000 });
    }
    return transcript;
  }

  it.each([{ currentTokenCount: 9_000 }, { currentTokenCount: undefined }])(
    'is made when it is asked for, and says what was kept: %o',
    async ({ currentTokenCount }) => {
      const engine = fakeOpenClaw({ root: folder() }).engine();
      const messages = await longTalk(engine);
      const result = await engine.compact({ ...session, tokenBudget: 8_000, force: true, currentTokenCount });
      expect(result).toMatchObject({
        ok: true,
        compacted: true,
        result: { details: { by: 'varve', sessionId: 's1' } },
      });
      expect(result.result?.summary).toContain('nonce-4711');
      const after = await engine.assemble({ ...session, model, messages, tokenBudget: 8_000 });
      expect(textsOf(after.messages)[0]).toBe(result.result?.summary);
      expect(after.messages.length).toBeLessThan(messages.length);
      await engine.dispose();
    },
  );

  it('is not made while there is no need, and says so', async () => {
    const engine = fakeOpenClaw({ root: folder() }).engine();
    const nothing = await engine.compact({ ...session, tokenBudget: 8_000, force: true });
    expect(nothing).toMatchObject({ ok: true, compacted: false, reason: expect.stringMatching(/^nothing_to_do: /) });
    const notDue = await engine.compact({ ...session, tokenBudget: 8_000 });
    expect(notDue).toMatchObject({ ok: true, compacted: false, reason: expect.stringMatching(/^below_threshold: /) });
    await engine.dispose();
  });

  it('waits where only the smaller one of the two budgets of a turn is exceeded', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root }).engine();
    const messages = await longTalk(engine);
    const small = await engine.assemble({ ...session, model, messages, tokenBudget: 2_500 });
    expect(small.estimatedTokens).toBeLessThanOrEqual(2_000);
    await engine.assemble({ ...session, model, messages, tokenBudget: 20_000 });
    await engine.dispose();
    expect(journalOf(root).filter(({ type }) => type === 'compaction')).toEqual([]);
  });

  it('is left to OpenClaw where that is chosen, and the journal follows its list', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root, compaction: 'delegate' }).engine();
    expect(engine.info.ownsCompaction).toBe(false);
    await expect(engine.compact({ ...session, force: true })).rejects.toSatisfy(isCode('VARVE_CONFIG_INVALID'));
    await engine.afterTurn({ ...session, messages: [user('One.'), assistant('Two.'), user('Three.')] });
    const summary = { role: 'compactionSummary', summary: 'One and two were said.', timestamp: 1 };
    const messages = [summary, user('Three.')];
    const made = await engine.assemble({ ...session, model, messages, tokenBudget: 4_000 });
    expect(made.messages).toEqual(messages);
    await engine.dispose();
  });
});

describe('a host that does not keep to the contract', () => {
  it.each<[string, (engine: OpenClawEngine) => Promise<unknown>]>([
    ['assemble without a session', (engine) => engine.assemble({ messages: [] } as never)],
    ['assemble without messages', (engine) => engine.assemble({ ...session } as never)],
    ['assemble with a message without a role', (engine) => engine.assemble({ ...session, messages: [{} as never] })],
    ['assemble with nothing', (engine) => engine.assemble(undefined as never)],
    ['commitTurn without a key', (engine) => engine.commitTurn({ ...session, messages: [] } as never)],
    ['ingest without a message', (engine) => engine.ingest({ ...session } as never)],
    ['afterTurn with nothing', (engine) => engine.afterTurn(undefined as never)],
    ['compact without a session', (engine) => engine.compact({ force: true } as never)],
    ['bootstrap with nothing', (engine) => engine.bootstrap(undefined as never)],
  ])('is told which call is not known: %s', async (name, call) => {
    const engine = fakeOpenClaw({ root: folder() }).engine();
    await expect(call(engine)).rejects.toSatisfy(isCode('VARVE_OPTION_INVALID'));
    await expect(call(engine)).rejects.toThrow(name.split(' ', 1)[0]);
    await engine.dispose();
  });

  it('may commit before it assembles, call after the end, and end twice', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root }).engine();
    await engine.dispose();
    const messages = [user('Hello?'), assistant('Hello.')];
    expect(await engine.commitTurn({ ...session, messages, advancementKey: 'k1' })).toEqual({ status: 'committed' });
    const made = await engine.assemble({ ...session, model, messages, tokenBudget: 4_000 });
    expect(textsOf(made.messages)).toEqual(['Hello?', 'Hello.']);
    await engine.dispose();
    await engine.dispose();
    // Nothing is held: another process could go on.
    await using store = jsonlStore({ root });
    await using host = await createHost({ store });
    await host.open('s1', { agentId: 'main' });
  });

  it('may use two engines of one conversation at once', async () => {
    const root = folder();
    const host = fakeOpenClaw({ root });
    const [one, other] = [host.engine(), host.engine()];
    const messages = [user('Hello?'), assistant('Hello.')];
    const commit = { ...session, messages, advancementKey: 'k1' };
    const settled = await Promise.all([one.commitTurn(commit), other.commitTurn(commit), other.bootstrap(session)]);
    expect(settled.slice(0, 2)).toEqual([{ status: 'committed' }, { status: 'duplicate' }]);
    await one.dispose();
    expect(await other.commitTurn(commit)).toEqual({ status: 'duplicate' });
    await other.dispose();
    expect(saidIn(root)).toEqual(['Hello?', 'Hello.']);
  });

  it('may abort', async () => {
    const engine = fakeOpenClaw({ root: folder() }).engine();
    const abortSignal = AbortSignal.abort();
    const call = engine.assemble({ ...session, messages: [user('Hello?')], abortSignal });
    await expect(call).rejects.toSatisfy(isCode('VARVE_ABORTED'));
    await expect(engine.compact({ ...session, abortSignal })).rejects.toSatisfy(isCode('VARVE_ABORTED'));
    await engine.dispose();
  });

  it('hears once of settings in a version that is not known, and is served without them', async () => {
    const host = fakeOpenClaw({ root: folder() });
    const engine = host.engine();
    const call = { ...session, messages: [user('Hello?')], runtimeSettings: { schemaVersion: 7 } };
    for (const _ of [1, 2]) expect(textsOf((await engine.assemble(call)).messages)).toEqual(['Hello?']);
    expect(host.warnings).toEqual([expect.stringContaining('version 7')]);
    await engine.dispose();
  });
});

describe('what cannot be done', () => {
  it('leaves OpenClaw its own messages where another process has the journal, but commits nothing', async () => {
    const root = folder();
    const host = fakeOpenClaw({ root });
    const engine = host.engine();
    const messages = [user('Hello?'), assistant('Hello.')];
    const store = jsonlStore({ root });
    const other = await createHost({ store });
    await (await other.open('s1', { agentId: 'main' })).ingest({ role: 'user', content: 'Mine.' });
    const made = await engine.assemble({ ...session, model, messages, tokenBudget: 4_000 });
    expect(made.messages).toBe(messages);
    expect(host.warnings).toEqual([expect.stringContaining('VARVE_STORE_LOCKED')]);
    const commit = { ...session, messages, advancementKey: 'k1' };
    await expect(engine.commitTurn(commit)).rejects.toSatisfy(isCode('VARVE_STORE_LOCKED'));
    await other.close();
    await store[Symbol.asyncDispose]();
    expect(await engine.commitTurn(commit)).toEqual({ status: 'committed' });
    await engine.dispose();
  });

  it('leaves OpenClaw its own messages where nothing fits, and says so', async () => {
    const host = fakeOpenClaw({ root: folder() });
    const engine = host.engine();
    const messages = [user(words)];
    const made = await engine.assemble({ ...session, model, messages, tokenBudget: 200 });
    expect(made.messages).toBe(messages);
    expect(host.warnings).toEqual([expect.stringContaining('VARVE_BUDGET_IMPOSSIBLE')]);
    await engine.dispose();
  });

  it('is said when the plugin is registered', () => {
    const registerContextEngine = () => undefined;
    expect(() => plugin.register({})).toThrowError(/has no context engines/);
    const register = (pluginConfig: object) => () => plugin.register({ pluginConfig, registerContextEngine });
    expect(register({ compaction: 'both' })).toThrowError(/plugins\.entries\.varve\.config: compaction/);
    expect(register({ rot: '/x' })).toThrowError(/rot/);
    expect(register({})).not.toThrow();
  });

  it('keeps conversations of agents apart', async () => {
    const root = folder();
    const engine = fakeOpenClaw({ root }).engine();
    const call = { sessionId: 's2', sessionKey: 'agent:helper:main', messages: [user('Hello, helper.')] };
    await engine.assemble(call);
    await engine.dispose();
    expect(journalOf(root, 'helper').some(({ message }) => message !== undefined)).toBe(true);
  });
});
