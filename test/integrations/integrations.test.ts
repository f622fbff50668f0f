import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Session, type Store } from '@varve/core';
import { strata } from '@varve/preset-strata';
import { jsonlStore } from '@varve/stores/jsonl';
import { answer, failure, type ModelScript, type ModelServer, startModelServer } from '@varve/testkit/model-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Agent, type Integration, integrations } from './integration.ts';

const windowTokens = 8_000;
const pageText = 'The tide came in and went out again. '.repeat(40);

interface Stage extends AsyncDisposable {
  readonly server: ModelServer;
  readonly session: Session;
  readonly agent: Agent;
}

interface StageOptions {
  readonly script: ModelScript;
  readonly store?: Store;
  /** The list that the agent begins with. */
  readonly list?: unknown;
  /** Window of the model, where it is another than the session takes it for. */
  readonly contextTokens?: number;
}

async function stage(
  { build, provider }: Integration,
  { script, store, list, contextTokens = windowTokens }: StageOptions,
): Promise<Stage> {
  const server = await startModelServer({ provider, contextTokens, script });
  const options = store === undefined ? {} : { store };
  const host = await createHost({ plugins: [...strata()], budget: { windowTokens }, ...options });
  const session = await host.open('talk');
  const read = (page: number): string => `Page ${page}. ${pageText}`;
  return {
    server,
    session,
    agent: build({ url: server.url, session, read, list }),
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await server.stop();
    },
  };
}

/** Reads so many pages, one a request, with a thought that the provider has signed, then says how many. */
function reader(pages: number): ModelScript {
  let page = 0;
  return () => {
    page += 1;
    if (page > pages) return `I have read ${pages}.`;
    return answer([
      { type: 'thinking', text: `Page ${page} is next.` },
      { type: 'tool-call', name: 'read', input: { page } },
    ]);
  };
}

function saidIn(session: Session): string[] {
  return session.view.messages().map(({ message: { role, content } }) => {
    if (typeof content === 'string') return `${role}: ${content}`;
    return `${role}: ${content.map((part) => ('text' in part ? part.text : part.type)).join('')}`;
  });
}

describe.each(integrations)('$name with a session around its model', (integration) => {
  it('stores what is said, both ways, once', async () => {
    await using talk = await stage(integration, { script: ({ number }) => `answer ${number}` });
    expect(await talk.agent.run('one')).toBe('answer 1');
    expect(await talk.agent.run('two')).toBe('answer 2');
    expect(saidIn(talk.session)).toEqual(['user: one', 'assistant: answer 1', 'user: two', 'assistant: answer 2']);
    expect(talk.server.requests.map(({ violations }) => violations)).toEqual([[], []]);
    expect(talk.server.requests.at(-1)?.conversation.system).toContain('You read logs.');
  });

  it('streams', async () => {
    await using talk = await stage(integration, { script: ({ number }) => `answer ${number}` });
    expect(await talk.agent.run('one', { streams: true })).toBe('answer 1');
    expect(saidIn(talk.session)).toEqual(['user: one', 'assistant: answer 1']);
  });

  it('keeps a long loop of tools within the window, and what was asked for in sight', async () => {
    await using talk = await stage(integration, { script: reader(20) });
    const asked = 'Read it all. Never name the keeper.';
    expect(await talk.agent.run(asked)).toBe('I have read 20.');
    expect(talk.server.requests).toHaveLength(21);
    for (const { violations, inputTokens, body } of talk.server.requests) {
      expect(violations).toEqual([]);
      expect(inputTokens).toBeLessThanOrEqual(windowTokens);
      expect(JSON.stringify(body)).toContain(asked);
    }
    const isSigned = JSON.stringify(talk.server.requests.at(-1)?.body).includes('"signature"');
    expect(isSigned).toBe(integration.provider === 'anthropic');
  });

  it('stores the usage that was reported', async () => {
    await using talk = await stage(integration, { script: () => 'hi' });
    await talk.agent.run('one');
    const [, reply] = talk.session.view.messages();
    expect(reply?.usage?.inputTokens).toBeGreaterThan(0);
  });

  it.each([false, true])(
    'compacts and asks again when the model finds a prompt too long (streams: %s)',
    async (streams) => {
      const script = reader(12);
      await using talk = await stage(integration, { contextTokens: 4_000, script });
      expect(await talk.agent.run('Read it all.', { streams })).toBe('I have read 12.');
      expect(talk.session.view.compaction()?.trigger).toBe('overflow');
    },
  );

  it('passes on what the model fails with, and has stored the question once when it is asked again', async () => {
    await using talk = await stage(integration, {
      script: ({ number }) => (number === 1 ? failure('unauthorized') : 'hi'),
    });
    await expect(talk.agent.run('one')).rejects.toThrow();
    expect(await talk.agent.run('one')).toBe('hi');
    expect(saidIn(talk.session)).toEqual(['user: one', 'assistant: hi']);
  });

  it.each([false, true])('stores nothing of an answer that is aborted (streams: %s)', async (streams) => {
    const controller = new AbortController();
    await using talk = await stage(integration, {
      script: () => {
        controller.abort();
        return answer('never seen', { hold: { before: 1, until: new Promise(() => undefined) } });
      },
    });
    await talk.agent.run('one', { streams, signal: controller.signal }).catch(() => undefined);
    expect(saidIn(talk.session)).toEqual(['user: one']);
  });

  it('goes on after a restart with the list alone, and adds nothing twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-integrations-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await using store = jsonlStore({ root: folder });
    await using before = await stage(integration, { script: reader(3), store });
    await before.agent.run('Read three.');
    const known = saidIn(before.session);
    await before.session.close();
    const list = before.agent.list();
    await using after = await stage(integration, { script: () => 'hello again', store, list });
    expect(await after.agent.run('Are you there?')).toBe('hello again');
    expect(known).toHaveLength(8);
    expect(saidIn(after.session)).toEqual([...known, 'user: Are you there?', 'assistant: hello again']);
  });

  it('follows a host that takes the last question back', async () => {
    await using talk = await stage(integration, { script: ({ number }) => `answer ${number}` });
    await talk.agent.run('one');
    await talk.agent.run('two');
    talk.agent.takeBack(2);
    await talk.agent.run('three');
    expect(saidIn(talk.session)).toEqual(['user: one', 'assistant: answer 1', 'user: three', 'assistant: answer 3']);
  });
});
