import { createLexicalIndex, type LexicalIndex, termsOfText } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

interface Text {
  readonly id: string | number;
  readonly text: string;
}

function indexOf(texts: readonly Text[], options = {}): LexicalIndex {
  const index = createLexicalIndex(options);
  for (const text of texts) index.add(text);
  return index;
}

function idsFor(texts: readonly string[], query: string): readonly (string | number)[] {
  return indexOf(texts.map((text, id) => ({ id, text })))
    .search(query, { limit: texts.length })
    .map(({ id }) => id);
}

/** One text for each group, under the id of its first one. */
function joinedBy(texts: readonly (Text & { readonly group: number })[]): readonly Text[] {
  const joined = new Map<number, Text>();
  for (const { id, text, group } of texts) {
    const before = joined.get(group);
    joined.set(group, before === undefined ? { id, text } : { id: before.id, text: `${before.text}\n${text}` });
  }
  return [...joined.values()];
}

/** Few words, so that texts share some of them; a few are names, numbers, and of other scripts. */
const word = fc.constantFrom(
  ...'clay silt sand core readFile src/a.ts 2026-03-02 rivers river ran running 東京 駅 ภาษา 안녕하세요 __proto__'.split(
    ' ',
  ),
);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const id = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('0', 'a', '__proto__', 'constructor'));
const change = fc.record({ id, text: fc.option(text, { nil: null }) });

describe('an index of words', () => {
  it('gives after any changes what an index of the texts that are left gives', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), text, (changes, query) => {
        const index = createLexicalIndex();
        const left = new Map<string | number, string>();
        for (const one of changes) {
          left.delete(one.id);
          if (one.text === null) index.remove(one.id);
          else {
            index.add({ id: one.id, text: one.text });
            left.set(one.id, one.text);
          }
        }
        const fresh = indexOf([...left].map(([key, value]) => ({ id: key, text: value })));
        expect(index.size).toBe(left.size);
        expect(index.search(query, { limit: 100 })).toEqual(fresh.search(query, { limit: 100 }));
      }),
    );
  });

  it('forgets a removed text, also when so many are removed that it is written anew', () => {
    const texts = Array.from({ length: 400 }, (_, at) => ({ id: at, text: `layer ${at % 7} of core ${at}` }));
    const index = indexOf(texts);
    for (const { id: at } of texts) if (at % 3 !== 0) expect(index.remove(at)).toBe(true);
    expect(index.remove(1)).toBe(false);
    const fresh = indexOf(texts.filter((one) => one.id % 3 === 0));
    expect(index.search('core 42 layer 3', { limit: 400 })).toEqual(fresh.search('core 42 layer 3', { limit: 400 }));
    expect(index.has(3)).toBe(true);
    expect(index.has(4)).toBe(false);
  });

  it('scores texts the same in whatever order they came', () => {
    const texts = fc.uniqueArray(fc.record({ id, text }), { selector: (one) => one.id, maxLength: 14 });
    fc.assert(
      fc.property(texts, text, fc.infiniteStream(fc.nat()), (given, query, numbers) => {
        const other = given.map((one) => ({ one, at: numbers.next().value as number })).sort((a, b) => a.at - b.at);
        const scoresOf = (list: readonly Text[]) =>
          new Map(
            indexOf(list)
              .search(query, { limit: 100 })
              .map((hit) => [hit.id, hit.score]),
          );
        expect(scoresOf(other.map(({ one }) => one))).toEqual(scoresOf(given));
      }),
    );
  });

  it('searches as if texts that a filter refuses did not exist', () => {
    const texts = fc.uniqueArray(fc.record({ id, text }), { selector: (one) => one.id, maxLength: 14 });
    fc.assert(
      fc.property(texts, text, fc.func(fc.boolean()), (given, query, allows) => {
        const filter = (one: string | number): boolean => allows(one);
        const allowed = indexOf(given.filter((one) => filter(one.id)));
        const hits = indexOf(given).search(query, { limit: 3, filter });
        expect(hits).toEqual(allowed.search(query, { limit: 3 }));
      }),
    );
  });

  it('searches groups of neighbours as if each were one text', () => {
    const texts = fc.array(fc.record({ text, isNext: fc.boolean(), isRemoved: fc.boolean() }), { maxLength: 40 });
    const scoring = { k1: 1.2, b: 0.4 };
    fc.assert(
      fc.property(texts, text, fc.option(fc.func(fc.boolean()), { nil: undefined }), (given, query, filter) => {
        let group = 0;
        const all = given.map(({ isNext, ...one }, id) => {
          group += isNext ? 1 : 0;
          return { ...one, id, group };
        });
        const index = indexOf(all);
        for (const one of all) if (one.isRemoved) index.remove(one.id);
        const left = all.filter((one) => !one.isRemoved && filter?.(one.id) !== false);
        const expected = indexOf(joinedBy(left), scoring).search(query, { limit: 3 });
        const groupOf = (id: string | number): number => all[Number(id)]?.group ?? -1;
        expect(index.search(query, { limit: 3, filter, groupOf, ...scoring })).toEqual(expected);
      }),
    );
  });

  it('returns the best of all hits, best first and of equals the one that was added first', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), text, fc.nat({ max: 20 }), (texts, query, limit) => {
        const index = indexOf(texts.map((one, at) => ({ id: at, text: one })));
        const all = index.search(query, { limit: 60 });
        const sorted = [...all].sort((a, b) => b.score - a.score || Number(a.id) - Number(b.id));
        expect(all).toEqual(sorted);
        expect(all.every(({ score }) => score > 0)).toBe(true);
        expect(index.search(query, { limit })).toEqual(all.slice(0, limit));
      }),
    );
  });

  it('leaves out what most of many texts have, unless the rest of the query finds too little', () => {
    const texts = Array.from({ length: 10_001 }, (_, at) => ({
      id: at,
      text: at % 2 === 0 ? 'clay sand' : 'clay silt',
    }));
    const index = indexOf([
      ...texts,
      { id: 'long', text: 'amber and much else besides clay' },
      { id: 'rare', text: 'amber' },
    ]);
    const scoreOf = (query: string, limit: number) =>
      index.search(query, { limit }).find(({ id: one }) => one === 'long');
    expect(scoreOf('amber clay', 2)).toEqual(scoreOf('amber', 2));
    expect(scoreOf('amber clay', 3)?.score).toBeGreaterThan(scoreOf('amber', 3)?.score ?? Infinity);
    expect(index.search('clay', { limit: 3 }).map(({ id: one }) => one)).toEqual([0, 1, 2]);
  });

  it('weighs the texts of a query', () => {
    const index = indexOf([
      { id: 'clay', text: 'a core of clay' },
      { id: 'sand', text: 'a core of sand' },
    ]);
    const first = (clay: number, sand: number) =>
      index.search([
        { text: 'clay', weight: clay },
        { text: 'sand', weight: sand },
      ])[0]?.id;
    expect(first(1, 0.5)).toBe('clay');
    expect(first(0.5, 1)).toBe('sand');
    expect(index.search([{ text: 'clay', weight: 0 }])).toEqual([]);
  });
});

describe('words', () => {
  it.each([
    ['an inflected form', 'She painted the lakes', 'Which lake did she paint?'],
    ['an irregular form', 'He bought the tickets and ran home', 'who buys a ticket'],
    ['a form of a word that ends in y', 'two puppies', 'puppy'],
    ['another case', 'The CLAY LAYER', 'clay layer'],
    ['a word without its accents', 'das Frühstück im Café', 'fruhstuck cafe'],
    ['a letter that stands for two', 'Straße', 'strasse'],
    ['a word of a camel-case name', 'call readSessionFile first', 'session'],
    ['a word of a snake-case name', 'MAX_QUEUE_LENGTH = 4', 'queue'],
    ['a folder of a path', 'see packages/core/src/draft/lead.ts', 'draft'],
    ['a path as a whole', 'see packages/core/src/draft/lead.ts', 'packages/core/src/draft/lead.ts'],
    ['a code', 'fixed ABC-123 today', 'abc-123'],
    ['a date', 'on 2026-03-02 at noon', '2026-03-02'],
    ['a day as an ordinal', 'on the 8th', '8'],
    ['a number with commas', 'it costs 12,345 in all', '12345'],
    ['Chinese', '我昨天在东京吃了拉面', '东京的拉面'],
    ['a Chinese character on its own', '猫 and dog', '猫'],
    ['Japanese', '新しいプロジェクトを始めました', 'プロジェクト'],
    ['Korean with another particle', '서울에서 회의를 했다', '회의가'],
    ['Thai', 'ฉันชอบกินข้าวผัด', 'ข้าวผัด'],
    ['Russian', 'Мы говорили о погоде', 'погоде'],
    ['full-width letters', 'ＡＰＩ version', 'api'],
    ['a Han character outside the basic plane', 'the name 𠮷野', '𠮷野'],
  ])('find %s', (_, found, query) => {
    expect(idsFor(['something else altogether', found, '無関係な文 กา 다른 문장'], query)[0]).toBe(1);
  });

  it('rank a text with the whole name above one with its words', () => {
    expect(idsFor(['a file that is read', 'call readFile', 'read the other file'], 'readFile')[0]).toBe(1);
  });

  it('are the same when more words were met than are remembered', () => {
    const given = 'She painted readSessionFile of src/a.ts at the lakes';
    const before = termsOfText(given);
    const index = indexOf([{ id: 'before', text: given }]);
    const letters = (number: number): string => [...String(number)].map((one) => 'bcdfghjklm'[Number(one)]).join('');
    const many = Array.from({ length: 40_000 }, (_, at) => `q${letters(at)}`);
    expect(new Set(termsOfText(many.join(' '))).size).toBe(40_000);
    index.add({ id: 'many', text: many.slice(0, 100).join(' ') });
    index.add({ id: 'behind', text: given });
    expect(termsOfText(given)).toEqual(before);
    expect(index.search('painting lakes').map(({ id }) => id)).toEqual(['before', 'behind']);
    expect(index.search(many[7] ?? '').map(({ id }) => id)).toEqual(['many']);
  });

  it('leave out what stands in every sentence', () => {
    expect(termsOfText('What is it that you have been doing there?')).toEqual([]);
    expect(idsFor(['this is it'], 'is this it?')).toEqual([]);
  });

  it.each([
    ['relational', 'relat'],
    ['conditional', 'condit'],
    ['hopping', 'hop'],
    ['falling', 'fall'],
    ['agreed', 'agre'],
    ['happily', 'happili'],
    ['adjustment', 'adjust'],
    ['adoption', 'adopt'],
    ['controlling', 'control'],
    ['probate', 'probat'],
    ['generalizations', 'gener'],
    ['oscillators', 'oscil'],
    ['filing', 'file'],
    ['cease', 'ceas'],
    ['sky', 'sky'],
    ['vileness', 'vile'],
  ])('are stemmed: %s', (given, stem) => {
    expect(termsOfText(given)).toEqual([stem]);
  });
});

describe('bounds', () => {
  it('let the oldest documents fall out', () => {
    const texts = Array.from({ length: 500 }, (_, at) => ({ id: at, text: `core ${at} of clay` }));
    const index = indexOf(texts, { maxDocuments: 40 });
    expect(index.size).toBe(40);
    const fresh = indexOf(texts.slice(-40));
    expect(index.search('core 480 clay', { limit: 50 })).toEqual(fresh.search('core 480 clay', { limit: 50 }));
  });

  it('let documents fall out when there are too many different terms, but never the newest', () => {
    const texts = Array.from({ length: 300 }, (_, at) => ({ id: at, text: `term${at} other${at} clay` }));
    const index = indexOf(texts, { maxTerms: 100 });
    expect(index.size).toBeLessThanOrEqual(50);
    expect(index.size).toBeGreaterThan(30);
    expect(index.search('term299')[0]?.id).toBe(299);
    expect(index.search('term10')).toEqual([]);
    index.add({ id: 'long', text: texts.map((one) => one.text).join(' ') });
    expect(index.size).toBe(1);
    expect(index.search('clay').map((hit) => hit.id)).toEqual(['long']);
  });

  it.each([{ k1: -1 }, { b: 2 }, { maxDocuments: 0 }, { maxTerms: 1.5 }, { limit: 3 }])(
    'are checked: %j',
    (options) => {
      expect(() => createLexicalIndex(options as never)).toThrow(
        expect.objectContaining({ code: 'VARVE_OPTION_INVALID' }),
      );
    },
  );
});

describe('hostile texts', () => {
  it('are indexed and looked for like any other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'binary' }), (hostile, query) => {
        const index = indexOf([
          { id: hostile, text: `${hostile} clay` },
          { id: 'other', text: hostile.slice(1) },
        ]);
        expect(index.search(`${query} clay`)[0]?.id).toBe(hostile);
      }),
    );
  });

  it.each([
    ['one word', 'x'.repeat(1_000_000)],
    ['underscores', 'a_'.repeat(500_000)],
    ['humps', 'aB'.repeat(500_000)],
    ['joiners', 'a.'.repeat(500_000)],
    ['separators of numbers', '1,'.repeat(500_000)],
    ['one Han character', '漢'.repeat(1_000_000)],
    ['lone surrogates', '\ud800'.repeat(500_000)],
    ['combining marks', `a${'\u0301'.repeat(500_000)}`],
    ['NUL', '\0'.repeat(1_000_000)],
  ])('of a megabyte, of nothing but %s, leave the others to be found', (_, hostile) => {
    const index = indexOf([
      { id: 'hostile', text: hostile },
      { id: 'plain', text: 'a core of clay' },
    ]);
    expect(index.search('clay').map((hit) => hit.id)).toEqual(['plain']);
    expect(termsOfText(hostile).every((term) => term.length <= 200)).toBe(true);
  });

  it('with names that objects have are words like others', () => {
    expect(idsFor(['__proto__ and constructor', 'toString'], '__proto__')).toEqual([0]);
    expect(idsFor(['__proto__ and constructor', 'toString'], 'constructor')).toEqual([0]);
  });
});
