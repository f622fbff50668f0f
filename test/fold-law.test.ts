import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { type CliStream, runCli } from '@varve/cli';
import { type Checkpoint, type Entry, fold } from '@varve/core';
import { afterAll, describe, expect, it } from 'vitest';

/** Lines of a journal file, with the checkpoints that were stored on some of them. */
type JournalLine = Entry & { readonly checkpoint?: Checkpoint };

const root = join(import.meta.dirname, '..');
const shipped = join(root, 'examples', 'transcripts', 'varve-session.jsonl');
const folder = mkdtempSync(join(tmpdir(), 'varve-fold-law-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Replays a transcript into a journal that is kept, and reads the lines of that journal. */
async function journalOf(transcript: string, budget: string): Promise<readonly JournalLine[]> {
  const kept = mkdtempSync(join(folder, 'root-'));
  const silent: CliStream = Object.assign(new PassThrough().resume(), { isTTY: false, columns: 80 });
  const code = await runCli(['replay', transcript, '--budget', budget, '--root', kept, '--json'], {
    stdout: silent,
    stderr: silent,
    env: {},
    signal: undefined,
  });
  expect(code).toBe(0);
  const files = readdirSync(kept, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /sessions\/.*\.jsonl$/.test(name),
  );
  return files.flatMap((name) => readFileSync(join(kept, name), 'utf8').trimEnd().split('\n').slice(1).map(parseLine));
}

function parseLine(line: string): JournalLine {
  const { more: _more, keep: _keep, crc: _crc, ...entry } = JSON.parse(line);
  return entry;
}

function withoutCheckpoint({ checkpoint: _checkpoint, ...entry }: JournalLine): Entry {
  return entry as Entry;
}

/** For each prefix, what a reader of its tail would find must mean the same as the whole prefix. */
function expectLaw(lines: readonly JournalLine[]): void {
  const entries = lines.map(withoutCheckpoint);
  let checkpoint: Checkpoint | null = null;
  for (const [index, line] of lines.entries()) {
    checkpoint = line.checkpoint ?? checkpoint;
    const prefix = entries.slice(0, index + 1);
    const visible = prefix.filter((entry) => entry.seq >= (checkpoint?.visibleFromSeq ?? 0));
    const fromTail = fold({ checkpoint, entries: visible });
    const fromAll = fold({ checkpoint: null, entries: prefix });
    if (!isDeepStrictEqual(fromTail, fromAll)) expect(fromTail, `after ${line.seq} entries`).toEqual(fromAll);
  }
}

describe('the journal of a replay', () => {
  it('folds to the same from its tail as from its beginning, at every prefix', async () => {
    const lines = await journalOf(shipped, '16k');
    expect(lines.filter((line) => line.checkpoint !== undefined).length).toBeGreaterThan(5);
    expectLaw(lines);
  });

  it('does so for the transcripts of VARVE_TRANSCRIPTS_DIR', { timeout: 600_000 }, async (context) => {
    const { VARVE_TRANSCRIPTS_DIR: given } = process.env;
    if (given === undefined) return context.skip('VARVE_TRANSCRIPTS_DIR names no folder of transcripts');
    const files = readdirSync(given, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(258c7280|4d5611e5)[^_]*\.jsonl$|large-session\.jsonl$/.test(name),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) {
      const lines = await journalOf(join(given, name), '16k');
      expectLaw(lines);
      console.log(`${name}: ${lines.length} prefixes, ${lines.filter((line) => line.checkpoint).length} checkpoints`);
    }
  });
});
