import { describe, expect, it } from 'vitest';
import { readEvents } from './read-events.ts';
import { abortedError, serve } from './served.ts';

const key = 'agent:main:main';
const session = `/v1/sessions/${encodeURIComponent(key)}`;

/** A model that says when it is asked, and answers when it is told to, or is interrupted. */
function slowModel() {
  let begin = (): void => undefined;
  let end = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    begun,
    end: () => end(),
    script: async (_request: unknown, { signal }: { readonly signal?: AbortSignal | undefined }): Promise<string> => {
      begin();
      await new Promise<void>((resolve, reject) => {
        void ended.then(resolve);
        signal?.addEventListener('abort', () => reject(abortedError()), { once: true });
      });
      return 'done';
    },
  };
}

describe('a gateway that closes', () => {
  it('waits for the turns that run, and takes no more', async () => {
    const model = slowModel();
    const served = await serve({ script: model.script });
    const turn = served.say(key, 'one');
    await model.begun;
    await using events = await readEvents(`${served.url}/v1/events`, { token: served.tokens.viewer });
    const closing = served.gateway.close();
    // Streams end at once.
    await events.rest();
    const refused = await served.call('/health', { role: null });
    expect(refused.status).toBe(503);
    model.end();
    expect((await turn).json).toMatchObject({ status: 'answered', text: 'done' });
    await closing;
    await expect(fetch(`${served.url}/health`)).rejects.toThrow();
    await served[Symbol.asyncDispose]();
  });

  it('aborts turns that take too long, and keeps what was acknowledged', async () => {
    const model = slowModel();
    const served = await serve({ script: model.script, limits: { drainMs: 20 } });
    const body = JSON.stringify({ text: 'one', messageId: 'm1' });
    const headers = { 'content-type': 'application/json' };
    const { client: token } = served.tokens;
    await using turn = await readEvents(`${served.url}${session}/turn`, { method: 'POST', token, headers, body });
    const { data: stored } = await turn.next('stored');
    await model.begun;
    await served.gateway.close();
    expect((await turn.next('end')).data).toMatchObject({ status: 'aborted', seq: stored.seq });
    const journal = await served.store.open(stored.sessionId, { readOnly: true });
    const [entry] = await journal.get([stored.seq]);
    expect(entry).toMatchObject({ type: 'message', message: { content: 'one' } });
    await journal.close();
    await served[Symbol.asyncDispose]();
  });
});

describe('a client that goes away', () => {
  it('ends its turn where it said so, and otherwise has its answer in the journal', async () => {
    const model = slowModel();
    await using served = await serve({ script: model.script });
    const headers = { 'content-type': 'application/json' };
    const { client: token } = served.tokens;
    {
      const body = JSON.stringify({ text: 'one', abortOnDisconnect: true });
      await using turn = await readEvents(`${served.url}${session}/turn`, { method: 'POST', token, headers, body });
      await turn.next('stored');
      await model.begun;
    }
    await using live = await readEvents(`${served.url}${session}/events?after=0`, { token });
    {
      const body = JSON.stringify({ text: 'two' });
      await using turn = await readEvents(`${served.url}${session}/turn`, { method: 'POST', token, headers, body });
      await turn.next('stored');
    }
    model.end();
    for (;;) {
      const { data } = await live.next('entry');
      if (data.type === 'message' && data.message.role === 'assistant') break;
    }
  });

  it('can abort what runs with another request', async () => {
    const model = slowModel();
    await using served = await serve({ script: model.script });
    const turn = served.say(key, 'one');
    await model.begun;
    const aborted = await served.call(`${session}/abort`, {
      method: 'POST',
      role: 'client',
      body: { reason: 'enough' },
    });
    expect(aborted.json).toEqual({ aborted: true });
    expect((await turn).json.status).toBe('aborted');
  });
});
