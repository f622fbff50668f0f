import { VarveError } from '@varve/core';
import { z } from 'zod';
import { configSchema } from './config-schema.ts';
import { didYouMean } from './near-names.ts';
import { pathText } from './path-text.ts';
import { shownValue } from './shown-value.ts';

/** What is wrong at one place of a configuration. */
export interface ConfigProblem {
  /** Where, as `session.reset.atHour`. */
  readonly path: string;
  /** What stands there, shortened; `null` for what must not be shown, or for nothing. */
  readonly value: string | null;
  /** A sentence. */
  readonly why: string;
  /** What to do about it, as an imperative sentence or a question. */
  readonly fix: string;
}

/** The parts of JSON Schema that say what may stand where. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly description?: string;
}

let jsonSchema: Node | undefined;

/** Made when the first problem is met: most configurations have none. */
function rootNode(): Node {
  jsonSchema ??= z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Node;
  return jsonSchema;
}

type Issue = z.core.$ZodIssue;

/** All that is wrong, in the order of the schema. */
export function problemsOf(error: z.ZodError, raw: unknown): readonly ConfigProblem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, { raw, above: [] }));
}

interface Place {
  readonly raw: unknown;
  readonly above: readonly PropertyKey[];
}

function problemsOfIssue(issue: Issue, { raw, above }: Place): readonly ConfigProblem[] {
  const path = [...above, ...issue.path];
  const value = valueAt(raw, path);
  if (issue.code === 'unrecognized_keys') return unknownSettings(path, issue.keys);
  if (issue.code === 'invalid_union') {
    const inside = furthest(issue.errors);
    if (inside !== undefined) return problemsOfIssue(inside, { raw, above: path });
  }
  return [
    {
      path: pathText(path),
      value: shownValue(path, value),
      why: whyOf(issue, value),
      fix: fixOf(issue, { path, value }),
    },
  ];
}

/** Inside a union, the issue of the branch that got furthest, if any got further than the value itself. */
function furthest(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const firsts = branches.flatMap((issues) => issues.slice(0, 1));
  const deeper = firsts.filter(({ path, code }) => path.length > 0 || code === 'unrecognized_keys');
  return deeper.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Nobody reads more of one section, and each name is compared with all that are known. */
const mostUnknown = 20;

function unknownSettings(path: readonly PropertyKey[], keys: readonly string[]): readonly ConfigProblem[] {
  const told = keys.slice(0, mostUnknown).map((key) => unknownSetting([...path, key]));
  const left = keys.length - told.length;
  if (left === 0) return told;
  const why = `There are ${left} more names that are no settings.`;
  return [...told, { path: pathText(path), value: null, why, fix: 'Remove them as well.' }];
}

function unknownSetting(path: readonly PropertyKey[]): ConfigProblem {
  const key = String(path.at(-1));
  const known = [...new Set(nodesAt(path.slice(0, -1)).flatMap(({ properties = {} }) => Object.keys(properties)))];
  const moved = movedTo(path);
  const fix = moved ?? didYouMean(key, known, `Remove it; known here are ${known.join(', ')}.`);
  return { path: pathText(path), value: null, why: 'There is no such setting.', fix };
}

/** What is said in another place than where one may look for it. */
function movedTo(path: readonly PropertyKey[]): string | null {
  const written = pathText(path);
  if (written === 'global.model') return 'Say it in models.default.';
  if (written === 'global.reset') return 'Say it in session.reset.';
  if (written === 'global.send') return 'Say it in session.sendPolicy.';
  if (/^models\.providers\..*(key|token|secret)/i.test(written)) {
    return 'Put the key into an environment variable, and its name into apiKeyVariable.';
  }
  return null;
}

function whyOf(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined
        ? 'It is missing.'
        : `It is ${kindOf(value)}, where ${withArticle(issue.expected)} is expected.`;
    case 'invalid_value':
      return `It is none of ${issue.values.map((one) => JSON.stringify(one)).join(', ')}.`;
    case 'invalid_key':
      return sentence(issue.issues[0]?.message ?? 'It is no name that can be used here');
    case 'invalid_union':
      return 'It is nothing that can stand here.';
    case 'too_small':
    case 'too_big':
      return /^Too (small|big)/.test(issue.message)
        ? `It is too ${issue.code === 'too_small' ? 'small' : 'large'}.`
        : sentence(issue.message);
    default:
      return sentence(issue.message);
  }
}

function fixOf(
  issue: Issue,
  { path, value }: { readonly path: readonly PropertyKey[]; readonly value: unknown },
): string {
  const { fix: own }: Readonly<Record<string, unknown>> = issue.code === 'custom' ? (issue.params ?? {}) : {};
  if (typeof own === 'string') return own;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String);
    return didYouMean(String(value), values, `Use one of: ${values.join(', ')}.`);
  }
  if (issue.code === 'invalid_key') return 'Give it another name.';
  const description = nodesAt(path).find((node) => node.description !== undefined)?.description;
  if (description !== undefined) return `Give ${description}.`;
  return issue.code === 'invalid_type' ? `Give ${withArticle(issue.expected)}.` : 'Correct it, or leave it out.';
}

/** What may stand at a place: several where there is a choice. */
function nodesAt(path: readonly PropertyKey[]): readonly Node[] {
  let nodes = branches(rootNode());
  for (const part of path) {
    nodes = nodes.flatMap((node) => {
      const next =
        typeof part === 'number' ? node.items : (node.properties?.[String(part)] ?? node.additionalProperties);
      return typeof next === 'object' ? branches(next) : [];
    });
  }
  return nodes;
}

function branches(node: Node): readonly Node[] {
  return [node, ...(node.anyOf ?? []).flatMap(branches)];
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return withArticle(typeof value);
}

function withArticle(kind: string): string {
  const words: Readonly<Record<string, string>> = { array: 'a list', int: 'a whole number', record: 'an object' };
  return words[kind] ?? `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function sentence(message: string): string {
  return /[.?!]$/.test(message) ? message : `${message}.`;
}

/** The error that is thrown for a configuration with problems; there is at least one. `details.problems` has them all. */
export function configError(
  problems: readonly ConfigProblem[],
  { name, form = 'varve' }: { readonly name: string; readonly form?: 'varve' | 'openclaw' },
): VarveError {
  const [first] = problems;
  const more = problems.length - 1;
  const others = more <= 0 ? '' : ` There ${more === 1 ? 'is one more problem' : `are ${more} more problems`}.`;
  const value = first?.value === null || first === undefined ? '' : ` is ${first.value}`;
  const words = form === 'openclaw' ? ' (read as a configuration of OpenClaw)' : '';
  return new VarveError('VARVE_CONFIG_INVALID', `${name}${words}: ${first?.path}${value}: ${first?.why}${others}`, {
    fix: first?.fix ?? 'Correct the configuration.',
    details: { file: name, problems },
  });
}
