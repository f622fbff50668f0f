import { extractIdentifiers, type IdentifierKind } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** The identifiers of a text as `kind text`, in order. */
function identifiersOf(text: string): readonly string[] {
  return [...extractIdentifiers(text)].map(([identifier, kind]) => `${kind} ${identifier}`);
}

describe('extractIdentifiers', () => {
  // Columns: kind · what is found · the text around it, with ◦ where the identifier stands.
  const single: [kind: IdentifierKind, identifier: string, context: string][] = [
    ['url', 'https://example.org/a/b?c=d&e=1', 'see ◦, then'],
    ['url', 'http://localhost:3000/health', '[the page](◦)'],
    ['url', 'wss://feed.example.org', '"◦".'],
    ['url', 'https://example.org/docs', '参见◦。谢谢'],
    ['url', 'ada@example.org', 'mail ◦ about it'],
    ['url', 'db.staging.example.com', 'host=◦;'],
    ['uuid', '9b2f1c1e-0f6a-4a57-8a5e-3f7c2d1b0a99', 'id ◦!'],
    ['path', 'packages/core/src/journal/fold.ts', 'in `◦`:12'],
    ['path', '/etc/nginx/nginx.conf', '(◦)'],
    ['path', './scripts/build.sh', 'run ◦.'],
    ['path', '../lib/parse', 'from "◦"'],
    ['path', '~/notes/2026.md', 'cat ◦'],
    ['path', '@scope/package-name', "import '◦'"],
    ['path', 'src/logs/app.ts', '请打开◦这个文件'],
    ['path', 'C:\\Users\\ada\\notes.txt', 'open ◦ now'],
    ['file', 'pnpm-lock.yaml', 'the ◦, again'],
    ['file', 'entry.test.ts', '文件◦里'],
    ['file', '.gitignore', 'add it to ◦'],
    ['hash', '0629d16', 'commit ◦ feat'],
    ['hash', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'sha256:◦'],
    ['date', '2026-02-11', 'on ◦,'],
    ['date', '2026-02-11T20:36:45.618Z', 'at ◦ it'],
    ['date', '2026-02-11 20:36', '◦ UTC'],
    ['date', '2026年2月11日', '于◦发布'],
    ['version', '1.4.0', 'release ◦'],
    ['version', 'v2.0.0-rc.1', '(◦)'],
    ['code', 'ABC-123', 'fixes ◦,'],
    ['code', 'D-1003', 'reference ◦, price 230'],
    ['code', 'B-1177', '单号◦。'],
    ['code', 'd-1003', 'reference ◦;'],
    ['code', 'PO-2024-117', 'order ◦.'],
    ['code', 'X-9A-12', '(◦)'],
    ['code', 'HAT069', 'flight ◦.'],
    ['code', '#1234', 'closes ◦;'],
    ['code', '#ff8800', 'color: ◦;'],
    ['code', 'harbor-q4.2', 'start with ◦'],
    ['code', '01HZX3V8QK6T9M2B4C7D5E1F0G', 'entry ◦'],
    ['number', '30000', 'timeout: ◦ ms'],
    ['number', '1,234,567', 'rows: ◦.'],
    ['number', '$1,299.50', 'costs ◦ a year'],
    ['number', '10.0.0.1', 'ping ◦'],
    ['constant', 'MAX_RETRY_COUNT', 'set ◦=3'],
    ['symbol', 'parseHTTPDate', '把◦改成'],
    ['symbol', 'SessionStore', 'new ◦()'],
    ['symbol', 'load_user_by_id', 'def ◦(id):'],
    ['symbol', 'größeMax', 'let ◦ = 1'],
  ];
  it.each(single)('finds a %s: %s', (kind, identifier, context) => {
    expect(identifiersOf(context.replace('◦', () => identifier))).toEqual([`${kind} ${identifier}`]);
  });

  // Columns: why nothing is found · the text.
  const nothing: [why: string, text: string][] = [
    ['ordinary words', 'Please look at the well-known and/or read-only case, e.g. on Monday.'],
    ['years and short numbers', 'In 2024 there were 12 of 345.'],
    ['slashes and closing tags', '// comment </div> 1/2 // http://'],
    ['the colours of a terminal', '\u001b[31mfailed\u001b[0m [1;32mpassed'],
    ['encoded data', `${'iVBORw0KGgo/AAANSUhEUg+'.repeat(2)}== ${'iVBORw0KGgoAAAANSUhEUg'.repeat(20)}`],
    ['a method that is named like a file', 'response.json() and console.log(it)'],
    ['nothing', ''],
  ];
  it.each(nothing)('finds nothing in %s', (_, text) => {
    expect(identifiersOf(text)).toEqual([]);
  });

  it('reads through the escapes of JSON strings', () => {
    expect(identifiersOf('{"diff":"foo_bar\\nbar_foo\\t\\"one_two\\""}')).toEqual([
      'symbol foo_bar',
      'symbol bar_foo',
      'symbol one_two',
    ]);
  });

  it('looks at the words of names that are joined by dots, dashes or signs', () => {
    expect(identifiersOf('Harbor.BookingStore.find_berth(berthId) react@18.2.0 my_lib+your_lib')).toEqual([
      'symbol BookingStore',
      'symbol find_berth',
      'symbol berthId',
      'version 18.2.0',
      'symbol my_lib',
      'symbol your_lib',
    ]);
  });

  it('gives each identifier once, in order of its first appearance', () => {
    expect(identifiersOf('one_two three_four one_two')).toEqual(['symbol one_two', 'symbol three_four']);
  });

  it('cuts a long URL before its query, and leaves out one that is all data', () => {
    const page = 'https://example.org/page';
    expect(identifiersOf(`${page}?token=${'x'.repeat(300)} https://example.org/${'y'.repeat(300)}`)).toEqual([
      `url ${page}`,
    ]);
  });

  const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
  const codeLike = fc.constantFrom(...'aZ09_-./@+~:\\#$€,;([{"\'\n文é'.split(''));
  const anyText = fc.string({ unit: fc.oneof(anyUnit, codeLike, codeLike), maxLength: 300 });

  it('gives only what stands in the text, 4 to 200 code units long, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const identifier of extractIdentifiers(text).keys()) {
          expect(text).toContain(identifier);
          expect(identifier.length).toBeGreaterThanOrEqual(4);
          expect(identifier.length).toBeLessThanOrEqual(200);
        }
      }),
    );
  });

  it('finds the same in each part of a text as in the whole', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const both = new Set([...extractIdentifiers(a).keys(), ...extractIdentifiers(b).keys()]);
        expect(new Set(extractIdentifiers(`${a}\u3000\n${b}`).keys())).toEqual(both);
      }),
    );
  });

  // A quadratic step over a text of a million characters would run into the time limit of the test.
  const hostile = [
    'a/',
    'a.',
    '-',
    'AAAA_',
    '7',
    '1,111',
    'http://',
    '\\',
    '#1',
    '#a',
    'a@a.',
    'C:\\',
    '_',
    '/',
    '[1;1',
    '中1',
  ];
  it.each(hostile)('gets through a million characters of %s', (unit) => {
    expect(extractIdentifiers(unit.repeat(1_000_000 / unit.length)).size).toBeLessThanOrEqual(1);
  });
});
