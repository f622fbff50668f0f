import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '@varve/core';
import type { SessionReport } from '@varve/gateway/inspector';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it } from 'vitest';
// The page is no part of what the gateway exports.
import { createVerdictHistory } from '../../gateway/inspector/model/verdict-history.ts';
import { run } from './captured-io.ts';
import { openAiConversations, piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const session = folder.file('session.jsonl', piSession({ tasks: 30 }));

/** The data of a page, read as a browser does: up to the first end tag. */
function reportIn(page: string): SessionReport {
  const begin = '<script type="application/json" id="report">';
  const from = page.indexOf(begin) + begin.length;
  return JSON.parse(page.slice(from, page.indexOf('</script', from)));
}

describe('varve replay --report', () => {
  it('writes one page that holds every request, every message and what was done to them', async () => {
    const file = join(folder.path, 'made', 'here', 'out.html');
    const { code, err } = await run(['replay', session, '--budget', '6k', '--report', file]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const page = readFileSync(file, 'utf8');
    const { title, facts, conversations, problems } = reportIn(page);
    const [conversation] = conversations;
    expect({ title, problems, conversations: conversations.length }).toEqual({
      title: 'session.jsonl',
      problems: [],
      conversations: 1,
    });
    expect(facts).toContainEqual({ name: 'requests', value: '120' });
    expect(conversation?.requests).toHaveLength(120);
    expect(conversation?.changes).toHaveLength(120);
    expect(conversation?.messages).toHaveLength(240);
    expect(conversation?.compactions.length).toBeGreaterThan(0);
    const marked = conversation?.requests.filter(({ marks }) => marks.includes('compaction')) ?? [];
    expect(marked).toHaveLength(conversation?.compactions.length ?? 0);
    const known = new Set(conversation?.changes.flat().flatMap(({ seq, toSeq }) => [seq, toSeq ?? seq]));
    expect(known.has(conversation?.messages[0]?.seq ?? 0)).toBe(true);
  });

  it('says the same as --json about each request', async () => {
    const file = join(folder.path, 'same.html');
    const { out } = await run(['replay', session, '--budget', '6k', '--json', '--report', file]);
    const replay = JSON.parse(out) as { requests: { tokens: number; layers: object; actions: string[] }[] };
    const pick = ({ tokens, layers, actions }: { tokens: number; layers: object; actions: readonly string[] }) => ({
      tokens,
      layers,
      actions,
    });
    const { conversations } = reportIn(readFileSync(file, 'utf8'));
    expect(conversations[0]?.requests.map(pick)).toEqual(replay.requests.map(pick));
  });

  it('gives every message the verdict that the journal explains, in every request', async () => {
    const root = join(folder.path, 'explained');
    const file = join(folder.path, 'explained.html');
    await run(['replay', session, '--budget', '6k', '--root', root, '--report', file]);
    const [conversation] = reportIn(readFileSync(file, 'utf8')).conversations;
    if (conversation === undefined) throw new Error('There is no conversation.');
    const history = createVerdictHistory(conversation);
    await using host = await createHost({ store: jsonlStore({ root }) });
    await using read = await host.open(conversation.title, { readOnly: true });
    for (const number of [1, 40, 80, 120]) {
      const { entries } = await read.explain({ request: number });
      const explained = entries.map(({ seq, verdict: { kind, rule = '', by = '' } }) => ({ seq, kind, rule, by }));
      expect(history(number).map(({ seq, kind, rule, by }) => ({ seq, kind, rule, by }))).toEqual(explained);
    }
  });

  it('holds what was said as data alone, and a policy under which nothing else runs', async () => {
    const said = '</script><script>stolen()</script><!-- <img src=x onerror=stolen()>';
    const hostile = folder.file(
      '<b>stolen.json',
      JSON.stringify([
        { role: 'user', content: said },
        { role: 'assistant', content: said },
      ]),
    );
    const file = join(folder.path, 'hostile.html');
    expect((await run(['replay', hostile, '--report', file])).code).toBe(0);
    const page = readFileSync(file, 'utf8');
    expect(reportIn(page).conversations[0]?.messages[0]?.text).toBe(said);
    expect(page).not.toContain('stolen()</script>');
    expect(page).not.toContain('<img src=x');
    expect(page).not.toContain('<b>stolen');
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).toContain("default-src 'none'; script-src 'sha256-");
  });

  it('shows each conversation of a file by itself', async () => {
    const several = folder.file('several.jsonl', openAiConversations(3));
    const file = join(folder.path, 'several.html');
    await run(['replay', several, '--report', file]);
    const { conversations } = reportIn(readFileSync(file, 'utf8'));
    expect(conversations.map(({ requests }) => requests[0]?.number)).toEqual([1, 1, 1]);
  });

  it('keeps the journals when it is asked to, and refuses a folder before anything is done', async () => {
    const root = join(folder.path, 'kept');
    const file = join(folder.path, 'kept.html');
    await run(['replay', session, '--root', root, '--report', file]);
    expect(readdirSync(root).length).toBeGreaterThan(0);
    mkdirSync(join(folder.path, 'taken.html'));
    const refused = await run(['replay', session, '--report', join(folder.path, 'taken.html')]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('Give the name of a file to --report');
    expect(refused.out).toBe('');
    writeFileSync(file, 'older');
    await run(['replay', session, '--report', file]);
    expect(readFileSync(file, 'utf8')).toContain('<!doctype html>');
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
