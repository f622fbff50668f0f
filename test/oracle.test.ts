import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { addNote, block, corruptions, entry, isResult, says, without } from './oracle/corruptions.ts';
import { type Judgement, judge } from './oracle/judge.mjs';
import { readSource } from './oracle/read-source.mjs';
import { type Block, rightBodies, sourceLines } from './oracle/tiny-conversation.ts';
import { tinySources } from './oracle/tiny-sources.ts';

const root = mkdtempSync(join(tmpdir(), 'varve-oracle-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;

/** Writes a source and bodies into a new folder and judges them. */
function judged(
  written: readonly unknown[],
  options: {
    source?: string;
    budget?: number;
    systemTokens?: number;
    rows?: { request: number; tokens: number }[];
  } = {},
): Judgement {
  folders += 1;
  const bodies = join(root, String(folders));
  mkdirSync(bodies);
  const { source: text = sourceLines(), budget = 32_000, ...rest } = options;
  const source = `${bodies}.jsonl`;
  writeFileSync(source, text);
  written.forEach((one, index) => {
    writeFileSync(join(bodies, `${String(index + 1).padStart(6, '0')}.json`), JSON.stringify(one));
  });
  return judge({ source, bodies, budget, ...rest });
}

function kindsOf({ violations }: Judgement): string[] {
  return [...new Set(violations.map(({ kind }) => kind))];
}

describe('the judge of replays', () => {
  it('finds nothing wrong with right bodies, and counts what was done', () => {
    const { largest, ...judgement } = judged(rightBodies());
    expect(judgement).toEqual({
      ...{ format: 'claude-code', items: 1, requests: 5, dropped: 0, rewrites: 2, summarised: 2 },
      violations: [],
    });
    expect(largest).toBeGreaterThan(300);
  });

  it.each(corruptions)('finds that %s, and calls it %s', (_title, kind, corrupt) => {
    const written = rightBodies();
    corrupt(written);
    expect(kindsOf(judged(written))).toEqual([kind]);
  });

  it('allows 3 % above the budget, and not one token more', () => {
    const { largest } = judged(rightBodies());
    expect(judged(rightBodies(), { budget: largest / 1.03 }).violations).toEqual([]);
    expect(kindsOf(judged(rightBodies(), { budget: (largest - 1) / 1.03 }))).toEqual(['budget']);
    const options = { budget: largest + 500, systemTokens: 500 };
    expect(judged(rightBodies(), options).violations).toEqual([]);
    expect(kindsOf(judged(rightBodies(), { ...options, budget: (largest - 1) / 1.03 + 500 }))).toEqual(['budget']);
  });

  it('takes a note for what it is, at its place in every body', () => {
    const written = rightBodies();
    addNote(written, { shown: [3, 4, 5], named: [3, 4, 5] });
    expect(judged(written).violations).toEqual([]);
  });

  it('counts what is dropped, which is no violation', () => {
    const written = rightBodies();
    without(written, 3, says('lexer'));
    Object.assign(entry(written, 3, 7), { kind: 'dropped', rule: 'window-cut', by: 'core' });
    expect(judged(written)).toMatchObject({ violations: [], dropped: 1 });
  });

  it('takes a parked result that has its beginning and its end', () => {
    const written = rightBodies();
    const whole = block(rightBodies(), 4, isResult('t3')).content ?? '';
    const parked = `${whole.slice(0, 60)}\n[… left out …]\n${whole.slice(-60)}`;
    Object.assign(block(written, 5, isResult('t3')), { content: parked });
    Object.assign(entry(written, 5, 11), { kind: 'parked' });
    expect(judged(written).violations).toEqual([]);
  });

  it('holds reported tokens against the manifests', () => {
    const rows = rightBodies().map(({ request, manifest }) => {
      const parts = [...manifest.entries, ...manifest.layers];
      return { request, tokens: 100 + parts.reduce((sum, { tokens }) => sum + tokens, 0) };
    });
    expect(judged(rightBodies(), { rows, systemTokens: 100 }).violations).toEqual([]);
    expect(kindsOf(judged(rightBodies(), { rows: rows.slice(1), systemTokens: 100 }))).toContain('requests');
    const wrong = rows.map((row) => (row.request === 3 ? { ...row, tokens: row.tokens + 1 } : row));
    expect(judged(rightBodies(), { rows: wrong, systemTokens: 100 }).violations).toMatchObject([
      { kind: 'tokens', request: 3 },
    ]);
  });

  it('knows what stands in for a call without a result and for a result without a call', () => {
    const said = (role: string, content: unknown) => ({ type: role, message: { role, content } });
    const source = [
      said('assistant', [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }]),
      said('user', [{ type: 'tool_result', tool_use_id: 't9', content: 'of another time' }]),
      said('assistant', [{ type: 'text', text: 'well  ' }]),
      said('assistant', [{ type: 'text', text: 'done' }]),
    ];
    const opening: Block = { type: 'text', text: '[The conversation begins here.]' };
    const open: Block = { type: 'tool_result', tool_use_id: 't1', content: '[No result.]' };
    const note: Block = { type: 'text', text: '[Result without a call]' };
    const messages = (...blocks: Block[]) => [
      { role: 'user', content: [opening] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
      { role: 'user', content: [open, note, ...blocks] },
      { role: 'assistant', content: [{ type: 'text', text: 'well' }] },
    ];
    const written = (told: Block[]) =>
      [1, 3, 4].map((count, index) => {
        const [right] = rightBodies();
        const entries = ['assistant', 'tool', 'assistant'].slice(0, [0, 2, 3][index]).map((role, position) => ({
          ...{ seq: position + 1, key: '', role, tokens: 5 },
          ...(role === 'tool' ? { kind: 'edited', rule: 'orphan-result' } : { kind: 'kept' }),
        }));
        return {
          ...{ request: index + 1, body: { ...right?.body, messages: messages(...told).slice(0, count) } },
          manifest: { ...right?.manifest, entries },
        };
      });
    const lines = source.map((line) => JSON.stringify(line)).join('\n');
    expect(judged(written([{ type: 'text', text: 'of another time' }]), { source: lines }).violations).toEqual([]);
    expect(kindsOf(judged(written([]), { source: lines }))).toEqual(['lost']);
    expect(kindsOf(judged(written([{ type: 'text', text: 'ignore all' }]), { source: lines }))).toEqual(['changed']);
  });

  it('demands the last observation at its place, but none in a summary', () => {
    const said = (role: string, content: string) => ({ role, content });
    const observed = '<returncode>0</returncode> nothing to see';
    const source = [said('assistant', 'ls'), said('user', observed), said('assistant', 'cat'), said('user', 'all')];
    const text = (value: string): Block => ({ type: 'text', text: value });
    const [first, second, third] = rightBodies();
    if (first === undefined || second === undefined || third === undefined) throw new Error('no bodies');
    const begins = { role: 'user', content: [text('[The conversation begins here.]')] };
    const bodyOf = (...messages: { role: string; content: Block[] }[]) => ({ ...first.body, messages });
    const entryOf = (seq: number) => ({
      seq,
      key: '',
      role: seq % 2 === 0 ? 'user' : 'assistant',
      kind: 'kept',
      tokens: 5,
    });
    const plain = { ...first.manifest, entries: [], ranges: [], layers: [] };
    const summary = { id: 'summary', tokens: 5, sources: [] };
    const covers = { fromSeq: 1, toSeq: 3, kind: 'summarised', by: 'core' };
    const written = (kind: string) => [
      { request: 1, body: bodyOf(begins), manifest: plain },
      {
        ...{ request: 2, manifest: { ...plain, entries: [entryOf(1), { ...entryOf(2), kind, rule: 'window-cut' }] } },
        body: bodyOf(
          begins,
          { role: 'assistant', content: [text('ls')] },
          {
            role: 'user',
            content: [text(kind === 'kept' ? observed : 'go on')],
          },
        ),
      },
      {
        ...{ request: 3, body: bodyOf({ role: 'user', content: [text('[Summary] it looked'), text('all')] }) },
        manifest: {
          ...plain,
          entries: [entryOf(4)],
          ranges: [covers],
          layers: [summary],
          actions: [{ kind: 'compaction', seq: 5 }],
        },
      },
    ];
    const lines = JSON.stringify([...source, said('assistant', 'done')]);
    expect(judged(written('kept'), { source: lines }).violations).toEqual([]);
    expect(kindsOf(judged(written('dropped'), { source: lines }))).toEqual(['user-message']);
  });

  it('refuses to judge a source in which no model was called', () => {
    const source = '{"type":"user","message":{"role":"user","content":"hello"}}\n';
    expect(() => judged([], { source })).toThrow('nothing to judge');
    expect(() => judged([], { source: '{"a":1}\n' })).toThrow('no transcript');
  });
});

describe('the reader of the judge', () => {
  const callsOf = (lines: readonly unknown[]): string =>
    judged([], { source: lines.map((line) => JSON.stringify(line)).join('\n') }).violations[0]?.what ?? '';

  it.each(tinySources)('reads $format: $title', ({ format, source, items }) => {
    const path = join(root, 'tiny.json');
    writeFileSync(path, typeof source === 'string' ? source : JSON.stringify(source));
    const read = readSource(path);
    const found = read.items.map(({ messages, calls }) => {
      const texts = messages.map(({ where, role, meta, observed }, index) => {
        const mark = observed === true ? '~' : meta === true ? '-' : '';
        return `${mark}${role[0]}${where.replace('message:', '')}${calls.includes(index) ? '!' : ''}`;
      });
      return texts.join(' ');
    });
    expect({ format: read.format, items: found }).toEqual({ format, items });
  });

  it('counts one call for each message id of Claude Code', () => {
    const said = (id: string, more: object = {}, model = 'claude-sonnet-4-5') => ({
      ...{ type: 'assistant', message: { id, role: 'assistant', model, content: [{ type: 'text', text: 'yes' }] } },
      ...more,
    });
    const asked = { type: 'user', message: { role: 'user', content: 'well?' } };
    const lines = [asked, said('a'), said('a'), said('b'), asked, said('c', {}, '<synthetic>')];
    expect(callsOf([...lines, said('d', { isSidechain: true })])).toBe('0 bodies for 2 calls of a model');
    const alone = [{ ...asked, isSidechain: true }, said('a', { isSidechain: true })];
    expect(callsOf(alone)).toBe('0 bodies for 1 calls of a model');
  });

  it('counts one call for each line of the assistant in pi, failed ones too', () => {
    const line = (role: string, content: unknown[]) => ({ type: 'message', timestamp: 1, message: { role, content } });
    const lines = [line('user', [{ type: 'text', text: 'go' }]), line('assistant', []), line('assistant', [])];
    expect(callsOf([{ type: 'session', id: 'x', cwd: '/' }, ...lines])).toBe('0 bodies for 2 calls of a model');
  });

  it('reads messages in the form of OpenAI, and misses a system message that is not sent', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Which day is it?' },
      { role: 'assistant', content: 'Monday.' },
    ];
    const source = JSON.stringify(messages);
    const [first] = rightBodies();
    if (first === undefined) throw new Error('no bodies');
    const content: Block[] = [{ type: 'text', text: 'Which day is it?', cache_control: { type: 'ephemeral' } }];
    const entries = ['system', 'user'].map((role, index) => ({
      seq: index + 1,
      key: '',
      role,
      kind: 'kept',
      tokens: 5,
    }));
    const layers = [{ id: 'system', tokens: 5, sources: [] }];
    const system: Block[] = [{ type: 'text', text: 'Be brief.' }];
    const body = { ...first.body, system, messages: [{ role: 'user', content }] };
    const right = { ...first, body, manifest: { ...first.manifest, entries, layers } };
    expect(judged([right], { source }).violations).toEqual([]);
    const { system: _, ...bare } = body;
    const manifest = { ...right.manifest, layers: [] };
    expect(kindsOf(judged([{ ...right, body: bare, manifest }], { source }))).toEqual(['system-lost']);
  });
});
