import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { turns } from './dialogue/turns.ts';
import { play } from './play.ts';
import { checkIsClean } from './scrub.ts';
import { makeWorkingCopy } from './working-copy.ts';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const file = resolve(values.out ?? join(tmpdir(), 'varve-session.jsonl'));

const copy = makeWorkingCopy();
try {
  const lines = play(turns, copy).map((line) => JSON.stringify(line));
  for (const line of lines) checkIsClean(line);
  const text = `${lines.join('\n')}\n`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const tokens = countTokens(text, { disallowedSpecial: new Set() });
  console.log(`${file}: ${turns.length} turns, ${lines.length - 1} messages, ${Buffer.byteLength(text)} bytes`);
  console.log(`About ${tokens} o200k tokens with the JSON around them.`);
} finally {
  rmSync(dirname(copy.root), { recursive: true, force: true });
}
