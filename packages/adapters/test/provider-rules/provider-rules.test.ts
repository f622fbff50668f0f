import {
  checkAnthropicRequest,
  checkGeminiRequest,
  checkOpenAIChatRequest,
  checkOpenAIResponsesRequest,
  providerRules,
  type RuleProvider,
  type RuleViolation,
} from '@varve/adapters/provider-rules';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicBodies, geminiBodies, openaiChatBodies, openaiResponsesBodies } from './valid-bodies.ts';

const checks: Readonly<Record<RuleProvider, (body: unknown) => readonly RuleViolation[]>> = {
  anthropic: checkAnthropicRequest,
  'openai-chat': checkOpenAIChatRequest,
  'openai-responses': checkOpenAIResponsesRequest,
  gemini: checkGeminiRequest,
};

const validBodies: Readonly<Record<RuleProvider, readonly unknown[]>> = {
  anthropic: anthropicBodies,
  'openai-chat': openaiChatBodies,
  'openai-responses': openaiResponsesBodies,
  gemini: geminiBodies,
};

const providers = Object.keys(checks) as RuleProvider[];

describe('a rule', () => {
  it.each(providerRules.map((rule) => [`${rule.provider} · ${rule.id}`, rule] as const))(
    'finds its own failing body, and no other rule does: %s',
    (_, rule) => {
      const violations = checks[rule.provider](rule.failing);
      expect(violations.length).toBeGreaterThan(0);
      expect(violations.map((violation) => violation.rule)).toEqual(violations.map(() => rule.id));
      for (const { path, text } of violations) {
        expect(path).toMatch(/^(|[\w.[\]]+)$/);
        expect(text).not.toBe('');
      }
    },
  );

  it('has an id of its own, a sentence and a source', () => {
    for (const provider of providers) {
      const rules = providerRules.filter((rule) => rule.provider === provider);
      expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
      expect(rules.length).toBeGreaterThan(15);
    }
    for (const { id, text, source } of providerRules) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
      expect(text).toMatch(/^[A-Z].*[.)]$/);
      expect(source).toMatch(/^https:\/\//);
    }
  });
});

describe.each(providers)('the check for %s', (provider) => {
  const check = checks[provider];

  it.each(validBodies[provider].map((body, index) => [index, body] as const))(
    'finds nothing in a valid body: number %d',
    (_, body) => {
      expect(check(body)).toEqual([]);
    },
  );

  it('takes any JSON without an error', () => {
    fc.assert(
      fc.property(fc.option(fc.jsonValue(), { nil: undefined }), (body) => {
        expect(Array.isArray(check(body))).toBe(true);
      }),
    );
  });

  it('takes valid bodies with any JSON in the place of one of their values', () => {
    const paths = validBodies[provider].flatMap((body) => placesOf(body).map((place) => ({ body, place })));
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), ({ body, place }, value) => {
        expect(Array.isArray(check(replacedAt(body, { place, value })))).toBe(true);
      }),
    );
  });
});

/** Ways to all values within a value. */
function placesOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner).map((place) => [key, ...place]))];
}

function replacedAt(
  body: unknown,
  { place, value }: { readonly place: readonly string[]; readonly value: unknown },
): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return value;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<string, unknown>;
  copy[key] = replacedAt(copy[key], { place: rest, value });
  return copy;
}
