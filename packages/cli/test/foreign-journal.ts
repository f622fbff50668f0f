import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Writes a journal as anybody could: lines with good checksums, whatever stands in them. Gives the path of the file. */
export function foreignJournal(
  root: string,
  {
    sessionId,
    header = {},
    entries,
  }: { readonly sessionId: string; readonly header?: object; readonly entries: readonly object[] },
): string {
  const folder = join(root, 'agents', 'main', 'sessions');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${fileNameOf(sessionId)}.jsonl`);
  const lines = [
    { v: 1, sessionId, createdAt: 0, ...header },
    ...entries.map((entry, index) => ({ ...entryBase(index + 1), ...entry, more: 0 })),
  ];
  writeFileSync(file, lines.map(sealed).join(''), { mode: 0o600 });
  return file;
}

/** Stands for lists that lie so deep in each other that the stack of whoever walks them overflows. */
export const deeplyNested = 'deeply nested';

/** What every entry has. */
function entryBase(seq: number): object {
  const idOf = (of: number): string => `01J${String(of).padStart(23, '0')}`;
  return { v: 1, id: idOf(seq), parentId: seq === 1 ? null : idOf(seq - 1), seq, at: 1_746_086_400_000 + seq * 1_000 };
}

/** A message of the user. */
export function userMessage(text: string): object {
  const message = { role: 'user', content: text };
  return { type: 'message', message, provenance: { kind: 'user' }, tokens: { n: 10, by: 'table' } };
}

/** A request that shows everything. */
export function request(fields: object = {}): object {
  const [turnId, model, by] = ['t', 'anthropic/claude-sonnet-4-5', 'x'];
  const figures = { budget: 1_000, tokens: 10, firstChangedByte: null };
  return { type: 'request', turnId, model, by, ...figures, changes: [], layers: [], ...fields };
}

function sealed(value: object): string {
  const json = JSON.stringify(value).replaceAll(JSON.stringify(deeplyNested), '['.repeat(9_000) + ']'.repeat(9_000));
  const text = `${json.slice(0, -1)},`;
  return `${text}"crc":"${crc32(text).toString(16).padStart(8, '0')}"}\n`;
}

function fileNameOf(sessionId: string): string {
  return sessionId.replaceAll(/[^a-z0-9_-]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16);
    return unit < '\u0080' ? `%${code.padStart(2, '0')}` : `%u${code.padStart(4, '0')}`;
  });
}
