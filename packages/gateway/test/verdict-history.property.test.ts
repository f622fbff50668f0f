import fc from 'fast-check';
import { expect, it } from 'vitest';
// The page is no part of what the package exports.
import { createVerdictHistory } from '../inspector/model/verdict-history.ts';

const verdicts = ['kept', 'cleared', 'dropped', 'summarised'] as const;

const change = fc
  .record({
    seq: fc.nat(60),
    length: fc.nat(30),
    verdict: fc.constantFrom(...verdicts),
    rule: fc.string({ maxLength: 2 }),
  })
  .map(({ seq, length, ...rest }) => (length === 0 ? { seq, ...rest } : { seq, toSeq: seq + length, ...rest }));

const conversation = fc.record({
  seqs: fc.uniqueArray(fc.nat(80), { maxLength: 40 }),
  changes: fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }),
});

it('gives each message that a request knew the last verdict said of it by then, and else keeps it', () => {
  fc.assert(
    fc.property(conversation, fc.nat(14), ({ seqs, changes }, number) => {
      const requests = changes.map((_, index) => ({ seq: index % 3 === 2 ? null : 8 * index + 4 }));
      const messages = seqs
        .toSorted((one, other) => one - other)
        .map((seq) => ({ seq, role: 'user', tokens: 1, text: `text ${seq}` }));
      const said = createVerdictHistory({ messages, requests, changes })(number);
      const at = requests.slice(0, number).findLast((one) => one.seq !== null)?.seq ?? 0;
      const known = messages.filter(({ seq }) => seq < at);
      const expected = known.map(({ seq }) => {
        const last = changes
          .slice(0, number)
          .flat()
          .findLast((one) => seq >= one.seq && seq <= ('toSeq' in one ? one.toSeq : one.seq));
        return { seq, kind: last?.verdict ?? 'kept', rule: last?.rule ?? '' };
      });
      expect(said.map(({ seq, kind, rule }) => ({ seq, kind, rule }))).toEqual(expected);
    }),
  );
});
