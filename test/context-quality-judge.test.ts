import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { needsAfterCut, survivors } from '../bench/context-quality/judge/compaction-recall.ts';
import { scoreEvidence } from '../bench/context-quality/judge/evidence-recall.ts';
import { holdsLine } from '../bench/context-quality/judge/found-line.ts';
import { identifiersOf } from '../bench/context-quality/judge/identifiers.ts';
import type { JudgedMessage } from '../bench/context-quality/judge/judged-prompt.ts';
import { farNeeds, scoreNeeds } from '../bench/context-quality/judge/needed-later.ts';
import { cacheRules, createPromptCache, frontTokens } from '../bench/context-quality/judge/prompt-cache.ts';
import { instructionsOf, scoreInstructions } from '../bench/context-quality/judge/user-instructions.ts';
import { faultsOf } from '../bench/context-quality/judge/validity.ts';

// The judge of `pnpm bench context-quality`, on inputs whose figures are worked out by hand.

const said = (role: JudgedMessage['role'], body: string, more: Partial<JudgedMessage> = {}): JudgedMessage => ({
  role,
  body,
  calls: [],
  tokens: 1_000,
  ...more,
});

it('the judge imports nothing of the product', () => {
  const folder = new URL('../bench/context-quality/judge/', import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const imported = sources.flatMap((source) => [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from ?? ''));
  expect(imported.filter((from) => from.includes('varve') || from.includes('../'))).toEqual([]);
  expect(imported).toContain('gpt-tokenizer/encoding/o200k_base');
});

it('evidence is the share of characters whose sentences stand in the context', () => {
  const question = {
    text: 'Where?',
    evidence: ['Short one.\nA longer line here.', 'Gone.'],
    isAnyEnough: false,
    gold: ['cork'],
  };
  const half = scoreEvidence(question, 'user: SHORT   one.');
  expect(half.share).toBeCloseTo(10 / 29 / 2);
  expect([half.all, half.answer]).toEqual([0, 0]);
  expect(scoreEvidence(question, 'short one. a longer line here. gone. Corky')).toEqual({
    share: 1,
    all: 1,
    answer: 0,
  });
  expect(scoreEvidence(question, 'in Cork.').answer).toBe(1);
  expect(scoreEvidence({ ...question, isAnyEnough: true }, 'gone.')).toMatchObject({ share: 1, all: 1 });
});

it('identifiers are what must be copied exactly', () => {
  const text = 'Edit src/lib/url.ts with createHost, KX-482, at 2026-03-02, v1.2.3, $49.90, in 2026, by hand.';
  expect([...identifiersOf(text)].sort()).toEqual(
    ['src/lib/url.ts', 'createHost', 'KX-482', '2026-03-02', 'v1.2.3', '$49.90'].sort(),
  );
  expect([...identifiersOf('only plain words in 2026')]).toEqual([]);
});

it('a need is far once its identifier was last seen a distance ago, and lines guard against bare lists', () => {
  const messages = [
    said('user', 'The config is loadSettings(path) in the module'),
    said('assistant', 'fine'),
    said('tool', 'other'),
    said('assistant', 'call loadSettings'),
    said('assistant', 'again loadSettings'),
  ];
  const needs = farNeeds(messages, 2_000);
  expect([...needs.keys()]).toEqual([3]);
  const [need] = needs.get(3) ?? [];
  expect(need).toEqual({
    identifier: 'loadSettings',
    lines: ['The config is loadSettings(path) in the module'],
  });
  expect([...farNeeds(messages, 2_001).keys()]).toEqual([]);
  const own = need === undefined ? [] : [need];
  expect(scoreNeeds(own, 'ids: loadSettings')).toEqual({ identifiers: 1, lines: 0 });
  expect(scoreNeeds(own, 'nothing')).toEqual({ identifiers: 0, lines: 0 });
  expect(scoreNeeds(own, messages[0]?.body ?? '')).toEqual({ identifiers: 1, lines: 1 });
});

it("the user's words are counted by sentence, those of each message alike", () => {
  const messages = ['Never touch the lock file.\nAnswer in short sentences.', 'ok', 'Say which line it is on.'];
  const instructions = messages.map(instructionsOf);
  expect(scoreInstructions(instructions, 'NEVER touch the   lock file.')).toBe(0.25);
  expect(scoreInstructions(instructions, messages.join('\n'))).toBe(1);
  expect(scoreInstructions([[]], 'anything')).toBeNull();
});

it('what is needed after a cut is what was seen before it alone, at its first use', () => {
  const messages = [
    said('tool', 'alphaOne betaTwo gammaThree'),
    said('user', 'betaTwo'),
    said('assistant', 'use alphaOne and betaTwo'),
    said('assistant', 'use alphaOne and deltaFour, then gammaThree'),
  ];
  const needs = needsAfterCut(messages, { at: 2, keptFrom: 1, end: 4 });
  expect(needs).toEqual(['alphaOne', 'gammaThree']);
  expect(survivors(needs, '- alphaOne')).toBe(1);
});

it('a cache reads what was marked before, for as long as it lives', () => {
  const cache = createPromptCache(cacheRules['5m']);
  const [first, second] = [said('user', 'a'), said('assistant', 'b')];
  const front = frontTokens + 1_000;
  expect(cache.request({ messages: [first], stable: 1 }, 0)).toMatchObject({ read: 0, written: front, plain: 0 });
  expect(cache.request({ messages: [first, second], stable: 2 }, 300_000)).toEqual({
    read: front,
    written: 1_000,
    plain: 0,
    cost: front * 0.1 + 1_250,
  });
  const moved = cache.request({ messages: [second, first], stable: 2 }, 300_001);
  expect(moved).toMatchObject({ read: frontTokens, written: 2_000 });
  expect(cache.request({ messages: [first, second], stable: 1 }, 700_000)).toMatchObject({ read: 0, plain: 1_000 });
});

it('requests that providers refuse have faults', () => {
  const prompt = (...messages: JudgedMessage[]) => faultsOf({ messages, stable: messages.length });
  const call = said('assistant', '', { calls: [{ id: 'a' }] });
  const result = said('tool', 'done', { callId: 'a' });
  const user = said('user', 'hello');
  expect(prompt(said('system', 's'), user, call, result, user)).toEqual([]);
  expect(prompt(said('system', 's'))).toEqual(['empty']);
  expect(prompt(call, result)).toEqual(['first-not-user']);
  expect(prompt(user, result)).toEqual(['orphan-result']);
  expect(prompt(user, call, result, result)).toEqual(['double-result']);
  expect(prompt(user, call, user, result)).toEqual(['unanswered-call', 'orphan-result']);
  expect(prompt(user, call)).toEqual(['unanswered-call']);
});

it('a search has found a line when it shows what stood beside the identifier', () => {
  const need = { identifier: 'loadSettings', lines: ['The config is loadSettings(path) in the module'] };
  expect(holdsLine(['#3 user: the config is   loadSettings(path) in the module …'], need)).toBe(true);
  expect(holdsLine(['loadSettings'], need)).toBe(false);
});
