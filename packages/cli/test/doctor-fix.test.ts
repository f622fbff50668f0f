import { appendFileSync, chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

interface Sick {
  readonly root: string;
  readonly journals: readonly string[];
}

/** A store with two sessions, whose files are damaged in several ways. */
async function sickStore(name: string): Promise<Sick> {
  const root = join(folder.path, name);
  const file = folder.file(`${name}.jsonl`, piSession({ tasks: 2 }));
  for (const id of ['one', 'two'])
    await run(['sessions', 'import', file, '--root', root, '--id', id, '--key', `agent:main:direct:${id}`]);
  const sessions = join(root, 'agents', 'main', 'sessions');
  const journals = ['one', 'two'].map((id) => join(sessions, `${id}.jsonl`));
  const lines = readFileSync(journals[0] ?? '', 'utf8').split('\n');
  writeFileSync(journals[0] ?? '', lines.with(3, 'rubbish').join('\n'));
  appendFileSync(journals[0] ?? '', '{"v":1,"torn');
  chmodSync(journals[0] ?? '', 0o644);
  writeFileSync(
    journals[1] ?? '',
    [
      'rubbish',
      ...readFileSync(journals[1] ?? '', 'utf8')
        .split('\n')
        .slice(1),
    ].join('\n'),
  );
  rmSync(join(root, 'agents', 'main', 'sessions.jsonl'));
  return { root, journals };
}

function everything(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => `${name} ${readFileSync(join(parentPath, name), 'latin1')}`).sort();
}

async function doctor(root: string, argv: readonly string[] = []) {
  const { code, out } = await run(['doctor', '--root', root, '--json', ...argv]);
  const { findings, repairs, counts } = JSON.parse(out);
  const codes: readonly string[] = findings.map(({ code: one }: { code: string }) => one);
  return { code, findings, codes, repairs, counts };
}

const found = ['permissions-open', 'index-missing', 'line-damaged', 'append-torn', 'header-damaged'];

describe('varve doctor --fix', () => {
  it('says without it what it would do, and does nothing', async () => {
    const { root } = await sickStore('asked');
    const before = everything(root);
    const { code, findings, codes, repairs } = await doctor(root);
    expect(code).toBe(1);
    expect(repairs).toBeNull();
    expect(codes).toEqual(expect.arrayContaining(found));
    for (const finding of findings)
      if (found.includes(finding.code)) expect(finding.repair?.text).toMatch(/^[A-Z].*\.$/);
    const { out } = await run(['doctor', '--root', root]);
    expect(out).toContain('--fix: Write the journal anew');
    expect(out).toMatch(/^varve doctor --fix sees to \d findings of these$/m);
    expect(everything(root)).toEqual(before);
  });

  it('does it, tells what is left, and has nothing to do the second time', async () => {
    const { root, journals } = await sickStore('fixed');
    const { code, codes, repairs, counts } = await doctor(root, ['--fix']);
    // The entry that is lost was seen to: what was left of it is in quarantine.
    expect({ code, counts, codes }).toEqual({
      code: 0,
      counts: { error: 0, warning: 2, note: 1 },
      codes: ['entry-missing', 'quarantine-kept', 'quarantine-kept'],
    });
    expect(repairs.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'repaired',
      'repaired',
      'repaired',
      'repaired',
    ]);
    expect(readFileSync(`${journals[0]}.quarantine`, 'utf8')).toBe('{"v":1,"torn\nrubbish\n');
    const after = everything(root);
    expect((await doctor(root, ['--fix'])).repairs).toEqual([]);
    expect(everything(root)).toEqual(after);
    const { out } = await run(['sessions', 'list', '--root', root, '--json']);
    const keys = JSON.parse(out).sessions.map(({ key }: { key: string }) => key);
    // Of the other one, nothing says any more which conversation it was.
    expect(keys.sort()).toEqual(['agent:main:direct:one', null]);
  });

  it('leaves a session alone that is being written to, and sees to the others', async () => {
    const { root, journals } = await sickStore('in-use');
    await using store = jsonlStore({ root });
    const journal = await store.open('two');
    const before = readFileSync(journals[1] ?? '');
    const { repairs } = await doctor(root, ['--fix']);
    const outcomes = repairs.map(({ file, outcome }: { file: string; outcome: string }) => [file, outcome]);
    expect(outcomes).toContainEqual([journals[0], 'repaired']);
    expect(outcomes).toContainEqual([journals[1], 'locked']);
    expect(readFileSync(journals[1] ?? '')).toEqual(before);
    await journal.close();
    const { out, code } = await run(['doctor', '--root', root, '--fix']);
    expect(code).toBe(0);
    expect(out).toMatch(/^repaired .*two\.jsonl: Wrote the journal anew/m);
    expect(out).toContain('1 file repaired.');
  });

  it('has nothing to say where there is nothing wrong', async () => {
    const root = join(folder.path, 'sound');
    await run(['sessions', 'import', folder.file('sound.jsonl', piSession({ tasks: 1 })), '--root', root]);
    const before = everything(root);
    const { code, out } = await run(['doctor', '--root', root, '--fix']);
    expect(code).toBe(0);
    expect(out).toContain('There was nothing that --fix can see to.');
    expect(everything(root)).toEqual(before);
    const nowhere = join(folder.path, 'nowhere');
    expect((await doctor(nowhere, ['--fix'])).code).toBe(0);
    expect(readdirSync(folder.path)).not.toContain('nowhere');
  });
});
