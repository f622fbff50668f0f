import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VarveError } from '@varve/core';
import { varveInPi } from '@varve/pi';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assistant, emptySession, type FakePi, fakePi, textsOf, user } from './fake-pi.ts';

const words = 'Of the harbour I know this, and of its tides. '.repeat(60);

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'varve-pi-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** The one journal of a session, as text. */
function journalOf(root: string, id: string): string {
  return readFileSync(join(root, 'agents', 'pi', 'sessions', `${id}.jsonl`), 'utf8');
}

async function talkLong(pi: FakePi, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    await pi.say(`Question ${turn}. ${words}`);
    await pi.reply(`Answer ${turn}.`);
  }
}

describe('the extension of pi', () => {
  it('gives pi its own messages back as long as all of them fit', async () => {
    const root = folder();
    const pi = fakePi(emptySession('whole'), { root });
    await pi.emit('session_start');
    pi.put({ ...user('Hello'), own: 'field' });
    pi.put(assistant('I look.', { content: [{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } }] }));
    pi.put({
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'read',
      content: [{ type: 'text', text: 'A lighthouse' }],
      details: { lines: 1 },
      isError: false,
      timestamp: 3,
    });
    const messages = pi.list();
    const made = await pi.emit<{ messages: readonly unknown[] }>('context', { messages });
    expect(made.messages).toHaveLength(3);
    for (const [index, message] of made.messages.entries()) expect(message).toBe(messages[index]);
    await pi.reply('It is a lighthouse.');
    await pi.emit('session_shutdown');
    expect(journalOf(root, 'whole')).toContain('It is a lighthouse.');
  });

  it('puts a summary in the place of what is too long, and keeps all of it in the journal', async () => {
    const root = folder();
    const pi = fakePi(emptySession('long'), { root });
    await pi.emit('session_start');
    await pi.say('Remember nonce-4711.');
    await pi.reply('I do.');
    await talkLong(pi, 12);
    const made = textsOf(await pi.say('What was I to remember?'));
    expect(made.length).toBeLessThan(pi.list().length);
    expect(made[0]).toContain('nonce-4711');
    expect(made.at(-1)).toContain('What was I to remember?');
    await pi.emit('session_shutdown');
    expect(journalOf(root, 'long')).toContain('Question 1. ');
  });

  it('goes on with the journal in another instance of pi', async () => {
    const root = folder();
    const session = emptySession('again');
    const first = fakePi(session, { root });
    await first.emit('session_start');
    await talkLong(first, 12);
    const before = textsOf(await first.say('The last one.'));
    await first.emit('session_shutdown');
    const second = fakePi(session, { root });
    await second.emit('session_start');
    const made = await second.emit<{ messages: Parameters<typeof textsOf>[0] }>('context', { messages: second.list() });
    expect(textsOf(made.messages)).toEqual(before);
    await second.emit('session_shutdown');
    expect(readdirSync(join(root, 'agents', 'pi', 'sessions')).filter((name) => name.endsWith('.jsonl'))).toEqual([
      'again.jsonl',
    ]);
  });

  it('takes over what pi has said before the extension came, also what pi has compacted', async () => {
    const root = folder();
    const pi = fakePi(emptySession('old'), { root });
    pi.put(user('The first words of all.'));
    pi.put(assistant('Indeed.'));
    const kept = pi.put(user('Later.'));
    pi.compacted({ summary: 'Words were said.', firstKeptEntryId: kept });
    await pi.emit('session_start');
    const made = textsOf(await pi.say('And now?'));
    expect(made).toEqual(['The first words of all.', 'Indeed.', 'Later.', 'And now?']);
    await pi.emit('session_shutdown');
  });

  it('follows pi to another branch of its tree, and back', async () => {
    const root = folder();
    const pi = fakePi(emptySession('tree'), { root });
    await pi.emit('session_start');
    await pi.say('Begin.');
    await pi.reply('Yes.');
    const fork = pi.session.leafId;
    await pi.say('Go left.');
    await pi.reply('Left.');
    const left = pi.session.leafId;
    pi.session.leafId = fork;
    await pi.emit('session_tree');
    expect(textsOf(await pi.say('Go right.'))).toEqual(['Begin.', 'Yes.', 'Go right.']);
    await pi.reply('Right.');
    pi.session.leafId = left;
    await pi.emit('session_tree');
    expect(textsOf(await pi.say('Further.'))).toEqual(['Begin.', 'Yes.', 'Go left.', 'Left.', 'Further.']);
    await pi.emit('session_shutdown');
  });

  it('begins a session that pi has forked with the journal of the other one, its compaction included', async () => {
    const root = folder();
    const session = emptySession('parent');
    const parent = fakePi(session, { root });
    await parent.emit('session_start');
    await talkLong(parent, 12);
    await parent.emit('session_shutdown');
    const child = fakePi(
      { ...session, id: 'child', entries: [...session.entries], parentSession: '/sessions/2026_parent.jsonl' },
      { root },
    );
    await child.emit('session_start', { reason: 'fork' });
    await child.emit('session_shutdown');
    const compactions = (id: string) => journalOf(root, id).split('"type":"compaction"').length - 1;
    expect(compactions('parent')).toBeGreaterThan(0);
    expect(compactions('child')).toBe(compactions('parent'));
  });
});

describe('a host that does not keep to the order', () => {
  it('may ask for a prompt before it has begun a session, twice, and after the end', async () => {
    const pi = fakePi(emptySession('order'), { root: folder() });
    await pi.emit('session_shutdown');
    await pi.emit('agent_end');
    const once = textsOf(await pi.say('Hello?'));
    const twice = await pi.emit<{ messages: Parameters<typeof textsOf>[0] }>('context', { messages: pi.list() });
    expect(textsOf(twice.messages)).toEqual(once);
    await pi.emit('session_start');
    await pi.emit('session_shutdown');
    await pi.emit('session_shutdown');
    expect(textsOf(await pi.say('Still there?'))).toEqual(['Hello?', 'Still there?']);
    await pi.emit('session_shutdown');
  });

  it('may abort, and ask again', async () => {
    const pi = fakePi(emptySession('abort'), { root: folder() });
    await pi.emit('session_start');
    pi.put(user('Hello?'));
    const messages = pi.list();
    await expect(pi.emit('context', { messages }, { signal: AbortSignal.abort() })).rejects.toSatisfy((error) =>
      VarveError.is(error, 'VARVE_ABORTED'),
    );
    expect(textsOf(await pi.say('Once more.'))).toEqual(['Hello?', 'Once more.']);
    await pi.emit('session_shutdown');
  });

  it('is told who holds a journal that two of them want, and gets it when the other one has left', async () => {
    const root = folder();
    const session = emptySession('locked');
    const [first, second] = [fakePi(session, { root }), fakePi(session, { root })];
    await first.emit('session_start');
    await first.say('Hello.');
    await expect(second.emit('session_start')).rejects.toSatisfy((error) => VarveError.is(error, 'VARVE_STORE_LOCKED'));
    await first.emit('session_shutdown');
    expect(textsOf(await second.say('Now me.'))).toEqual(['Hello.', 'Now me.']);
    await second.emit('session_shutdown');
  });

  it('gets no result for a call of an answer that it sends no more', async () => {
    const pi = fakePi(emptySession('aborted-call'), { root: folder() });
    await pi.emit('session_start');
    pi.put(user('Look.'));
    const content = [{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } }];
    pi.put(assistant('', { content, stopReason: 'aborted' }));
    const made = await pi.say('Never mind.');
    expect(made.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    await pi.emit('session_shutdown');
  });
});

describe('a compaction of pi', () => {
  const preparation = { firstKeptEntryId: 'e9', tokensBefore: 20_000 };

  it('is called off while prompts are small enough', async () => {
    const pi = fakePi(emptySession('small'), { root: folder() });
    await pi.emit('session_start');
    await pi.say('Hello.');
    await pi.reply('Hello.');
    expect(await pi.emit('session_before_compact', { preparation, reason: 'threshold' })).toEqual({ cancel: true });
    await pi.emit('session_shutdown');
  });

  it.each(['manual', 'overflow'])('gets the summary that prompts have from then on: %s', async (reason) => {
    const pi = fakePi(emptySession('asked'), { root: folder() });
    await pi.emit('session_start');
    await pi.say('Remember nonce-4711.');
    await pi.reply('I do.');
    await talkLong(pi, 3);
    const result = await pi.emit<{ compaction: { summary: string } }>('session_before_compact', {
      preparation,
      reason,
    });
    expect(result.compaction).toMatchObject({ ...preparation, details: { by: 'varve', sessionId: 'asked' } });
    expect(result.compaction.summary).toContain('nonce-4711');
    const [first] = textsOf(await pi.say('And now?'));
    expect(first).toBe(result.compaction.summary);
    await pi.emit('session_shutdown');
  });

  it('is an overflow where an older pi says no more than that the model has failed', async () => {
    const pi = fakePi(emptySession('older'), { root: folder() });
    await pi.emit('session_start');
    await talkLong(pi, 3);
    await pi.say('Too much.');
    pi.put(assistant('', { content: [], stopReason: 'error', errorMessage: 'context_length_exceeded' }));
    const branchEntries = pi.session.entries;
    const result = await pi.emit<object>('session_before_compact', { preparation, branchEntries });
    expect(result).toHaveProperty('compaction.details.seq', expect.any(Number));
    await pi.emit('session_shutdown');
  });

  it('is left to pi where that is chosen, and the journal follows', async () => {
    const root = folder();
    const pi = fakePi(emptySession('theirs'), { root, compaction: 'pi' });
    await pi.emit('session_start');
    await pi.say('One.');
    await pi.reply('Two.');
    const kept = pi.put(user('Three.'));
    expect(await pi.emit('session_before_compact', { preparation, reason: 'manual' })).toBeUndefined();
    pi.compacted({ summary: 'One and two were said.', firstKeptEntryId: kept });
    const made = textsOf(await pi.say('Four.'));
    expect(made).toEqual(['One and two were said.', 'Three.', 'Four.']);
    await pi.reply('Five.');
    await pi.emit('session_shutdown');
    expect(journalOf(root, 'theirs')).toContain('Five.');
  });
});

describe('what users and models get', () => {
  it('answers /varve with the state of the conversation, and why something was not sent', async () => {
    const pi = fakePi(emptySession('command'), { root: folder() });
    await pi.emit('session_start');
    expect(await pi.command('why')).toBe('No prompt has been made yet.');
    await talkLong(pi, 12);
    expect(await pi.command('')).toContain('fake/small');
    expect(await pi.command('context')).toContain('The next prompt has');
    expect(await pi.command('why')).toMatch(/The last prompt had \d+ tokens/);
    expect(await pi.command('why #2')).toMatch(/#2 user: summarised/);
    expect(await pi.command('why x')).toContain('no number');
    expect(await pi.command('nonsense')).toContain('There is no "nonsense"');
    await pi.emit('session_shutdown');
  });

  it('offers the tools of plugins to the model, which can look for what is no longer sent', async () => {
    const pi = fakePi(emptySession('tools'), { root: folder() });
    await pi.emit('session_start');
    await pi.say('The lamp is called Esmeralda.');
    await pi.reply('Noted.');
    const grep = pi.tools.find(({ name }) => name === 'recall_grep');
    const found = await grep?.execute('c1', { pattern: 'Esmeralda' }, undefined);
    expect(found?.content[0]?.text).toContain('Esmeralda');
    await expect(grep?.execute('c2', { pattern: 7 }, undefined)).rejects.toThrow();
    await pi.emit('session_shutdown');
  });

  it('refuses options that it does not know', () => {
    expect(() => varveInPi({ compactoin: 'pi' } as never)).toThrowError(/compactoin/);
    expect(() => varveInPi({ compaction: 'both' } as never)).toThrowError(/compaction/);
  });
});
