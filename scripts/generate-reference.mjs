// Writes the generated parts of docs/reference from the code: the rules and comments of the hooks, the events, the
// schemas of the plugins' options, and the cases of the contracts.
//
//     pnpm build && node scripts/generate-reference.mjs
//
// A page holds a part between `<!-- generated: name -->` and `<!-- /generated -->`; what is around it is written by hand.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hookRules } from '@varve/core';
import { openApiDocument } from '@varve/gateway/openapi';
import { legacyEngine } from '@varve/plugin-legacy-engine';
import { memoryFlush } from '@varve/plugin-memory-flush';
import { recall } from '@varve/plugin-recall';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { sendPolicy } from '@varve/plugin-send-policy';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { workspaceLayers } from '@varve/plugin-workspace-layers';
import { adapterCases, engineCases, modelPortCases, pluginCases, storeCases } from '@varve/testkit';
import ts from 'typescript';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const core = join(root, 'packages/core/src');

/** Where the interfaces stand that the tables show. */
const sources = [
  'plugins/hooks.ts',
  'plugins/events.ts',
  'draft/draft.ts',
  'compaction/compaction.ts',
  'plugins/delivery.ts',
  'plugins/reset-question.ts',
];

const factories = [
  ttlPruning,
  summaryCompaction,
  recall,
  workspaceLayers,
  memoryFlush,
  resetPolicy,
  sendPolicy,
  legacyEngine,
];

/** Which call runs which hooks, in order. What is not the name of a hook is a step of core or of the engine. */
const flows = [
  { calls: ['session.ingest'], steps: ['ingest', 'the entry is appended'] },
  { calls: ['session.assemble'], steps: ['collect', 'engine.assemble', 'shape', 'fit', 'core checks the prompt'] },
  {
    calls: ['session.compact'],
    steps: ['shouldCompact', 'beforeCompact', 'compact', 'summarize', 'the compaction is appended'],
  },
  { calls: ['session.command'], steps: ['command', "core's own commands"] },
  { calls: ['askReset'], steps: ['shouldReset', 'the message goes into the session, or into a new one'] },
  { calls: ['askDelivery'], steps: ['deliver', 'it leaves, or is denied'] },
];

/** Calls beside `session.compact` that run one of its hooks. */
const otherCalls = {
  collect: ['session.compact', 'session.plan', 'session.commit'],
  shouldCompact: ['session.turn'],
  compact: ['session.plan'],
  summarize: ['session.commit'],
};

const kinds = {
  waterfall: 'each tap gets what the tap before returned',
  bail: 'the first tap that answers decides',
  series: 'all taps, one after the other; what they return is not used',
};

const nothingMeans = { waterfall: 'unchanged', bail: 'the next tap is asked' };

/** Interfaces whose fields every event of a table has; the page names them. */
const eventBases = ['EventBase', 'HostEventBase', 'JournalEventBase'];

/** Every generated part by its name. */
export function generateParts() {
  const interfaces = interfacesIn(sources.map((path) => join(core, path)));
  const hooks = hooksOf(interfaces);
  return new Map([
    ['hooks', hooksTable(hooks)],
    ...hooks.map((hook) => /** @type {const} */ ([`hook ${hook.name}`, hookTable(hook)])),
    ['journal events', eventsTable(interfaces, 'JournalEvents')],
    ['live events', eventsTable(interfaces, 'LiveEvents')],
    ...factories.map((factory) => /** @type {const} */ ([`options of ${factory.pluginName}`, optionsTable(factory)])),
    ['gateway api', gatewayText(openApiDocument())],
    ['cases of plugins', casesText(pluginCases)],
    ['cases of engines', casesText(engineCases)],
    ['cases of stores', casesText(storeCases)],
    ['cases of adapters', casesText(adapterCases)],
    ['cases of model ports', casesText(modelPortCases)],
  ]);
}

/**
 * A page's text with its generated parts as `parts` has them, and the names of these parts.
 *
 * @param {string} text
 * @param {ReadonlyMap<string, string>} parts
 */
export function fillParts(text, parts) {
  /** @type {string[]} */
  const names = [];
  const filled = text.replaceAll(
    /(<!-- generated: (.+?) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_, open, name, close) => {
      const part = parts.get(name);
      if (part === undefined) throw new Error(`There is no generated part "${name}".`);
      names.push(name);
      return `${open}\n${part}\n\n${close}`;
    },
  );
  return { filled, names };
}

function main() {
  const parts = generateParts();
  const folder = join(root, 'docs/reference');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue;
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const { filled } = fillParts(text, parts);
    if (filled === text) continue;
    writeFileSync(path, filled);
    console.log(`docs/reference/${name}`);
  }
}

/** @param {readonly string[]} paths */
function interfacesIn(paths) {
  /** @type {Map<string, ts.InterfaceDeclaration>} */
  const interfaces = new Map();
  for (const path of paths) {
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    file.forEachChild((node) => {
      if (ts.isInterfaceDeclaration(node)) interfaces.set(node.name.text, node);
    });
  }
  return interfaces;
}

/** @param {ReturnType<typeof interfacesIn>} interfaces */
function membersOf(interfaces, name) {
  const found = interfaces.get(name);
  if (found === undefined) throw new Error(`No source declares the interface ${name}.`);
  return found.members.map((member) => ({
    name: nameOf(member),
    comment: commentOf(member),
    type: ts.isPropertySignature(member) ? member.type : undefined,
  }));
}

function nameOf(member) {
  return ts.isStringLiteral(member.name) ? member.name.text : member.name.getText();
}

function commentOf(node) {
  const comments = ts.getJSDocCommentsAndTags(node).map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '');
  return comments.join(' ').replaceAll(/\s+/g, ' ').trim();
}

/** What the sources say of each hook, in their order. */
function hooksOf(interfaces) {
  const hooks = membersOf(interfaces, 'HookValues').map(({ name, comment, type }) => {
    const rule = hookRules[name];
    const flow = flows.find(({ steps }) => steps.includes(name));
    if (rule === undefined || flow === undefined) throw new Error(`Hook "${name}" has no rule, or no place in a flow.`);
    const [, what = '', failure = '', deadline] = /^(.+) On failure: ([^.]+)\. Deadline (\d+) s\.$/.exec(comment) ?? [];
    if (Number(deadline) * 1_000 !== rule.deadlineMs) {
      throw new Error(
        `The comment of hook "${name}" must end with "On failure: …. Deadline ${rule.deadlineMs / 1_000} s."`,
      );
    }
    const [input = '', output = ''] = literalFields(type).map((field) => field.type);
    const fields = membersOf(interfaces, input).map((member) => `\`${member.name}${member.type ? '' : '()'}\``);
    return {
      name,
      rule,
      calls: [...flow.calls, ...(otherCalls[name] ?? [])],
      steps: flow.steps,
      what,
      failure,
      input,
      output,
      fields,
    };
  });
  if (hooks.length !== Object.keys(hookRules).length) throw new Error('HookValues and hookRules differ.');
  return hooks;
}

function hooksTable(hooks) {
  return table([
    ['hook', 'kind', 'may return', 'on failure', 'deadline'],
    ...hooks.map((hook) => [
      `[${hook.name}](./hooks/${hook.name}.md)`,
      hook.rule.kind,
      mayReturn(hook),
      failureOf(hook),
      deadlineOf(hook),
    ]),
  ]);
}

function hookTable(hook) {
  const { name, rule, calls, steps, what, input, fields } = hook;
  const at = steps.indexOf(name);
  return table([
    [code(name), what.replace(`: ${kinds[rule.kind]}`, '')],
    ['Kind', `${rule.kind}: ${kinds[rule.kind]}`],
    ['Run\u00a0by', calls.map(code).join(', ')],
    ['Value\u00a0in', `${code(input)}: ${fields.join(', ')}`],
    ['May\u00a0return', nothingMeans[rule.kind] ? `${mayReturn(hook)}: ${nothingMeans[rule.kind]}` : mayReturn(hook)],
    ['On\u00a0failure', failureOf(hook)],
    ['Deadline', `${deadlineOf(hook)}, for each tap`],
    ['Previous', at === 0 ? '–' : stepOf(steps[at - 1])],
    ['Next', stepOf(steps[at + 1])],
  ]);
}

function stepOf(step) {
  if (Object.hasOwn(hookRules, step)) return `[${step}](./${step}.md)`;
  return step.startsWith('engine.') ? `[${step}](../../guides/write-an-engine.md)` : step;
}

function mayReturn({ output }) {
  return output === 'void' ? 'nothing' : `${output.split(' | ').map(code).join(', ')}, or nothing`;
}

function failureOf({ rule, failure }) {
  if (rule.onFailure !== 'skip') return failure;
  return (
    { skipped: 'the tap is skipped', next: 'the next tap is asked' }[failure] ?? `the tap is skipped; then ${failure}`
  );
}

function deadlineOf({ rule }) {
  return `${rule.deadlineMs / 1_000} s`;
}

function eventsTable(interfaces, kind) {
  const rows = membersOf(interfaces, kind).map(({ name, comment, type }) => {
    if (comment === '') throw new Error(`Nothing says when the event "${name}" comes.`);
    const fields = fieldsOf(interfaces, type).map((field) => code(`${field.name}: ${field.type}`));
    return [code(name), comment, fields.length === 0 ? '–' : fields.join(', ')];
  });
  return table([['event', 'when', 'its own fields'], ...rows]);
}

/** The fields of a type beside those that all events of its table have. */
function fieldsOf(interfaces, type) {
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap((one) => fieldsOf(interfaces, one));
  if (ts.isTypeLiteralNode(type)) return literalFields(type);
  const name = type.getText();
  return eventBases.includes(name)
    ? []
    : membersOf(interfaces, name).map((member) => ({ ...member, type: textOf(member.type) }));
}

/** The fields of a type that is written out. */
function literalFields(type) {
  const members = type !== undefined && ts.isTypeLiteralNode(type) ? [...type.members] : [];
  return members.map((/** @type {any} */ member) => ({ name: nameOf(member), type: textOf(member.type) }));
}

function textOf(type) {
  return type.getText().replace(/^readonly /, '');
}

/** A section a tag, with a part for each route: what it takes, and what it answers with. */
function gatewayText({ tags, paths }) {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const overview = table([
    ['route', 'what', 'token'],
    ...routes.map(({ path, method, operation }) => [
      `[${code(`${method} ${path}`)}](#${operation.operationId.toLowerCase()})`,
      operation.summary,
      operation['x-role'],
    ]),
  ]);
  const sections = tags.map(({ name }) => {
    const own = routes.filter(({ operation }) => operation.tags.includes(name));
    return [`## ${name.charAt(0).toUpperCase()}${name.slice(1)}`, ...own.map(routeText)].join('\n\n');
  });
  return [overview, ...sections].join('\n\n');
}

function routeText({ path, method, operation }) {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json'].schema.properties ?? {};
  const required = requestBody?.content['application/json'].schema.required ?? [];
  const rows = [
    ...parameters.map((one) => [code(one.name), one.in, one.required, one.schema, one.description ?? '']),
    ...Object.entries(body).map(([name, schema]) => {
      return [code(name), 'body', required.includes(name), schema, schema.description ?? ''];
    }),
  ].map(([name, where, isRequired, schema, what]) => [name, where, isRequired ? 'yes' : '', shapeText(schema), what]);
  const answer = responses['200'].description;
  return [
    `### ${operationId}`,
    `${code(`${method} ${path}`)}: ${summary}. ${description}`,
    ...(rows.length === 0 ? [] : [table([['name', 'in', 'required', 'shape', 'what'], ...rows])]),
    `Answers with: ${answer}`,
  ].join('\n\n');
}

/** What a part of a request is, in a few words. */
function shapeText(schema) {
  if (schema.enum !== undefined) return schema.enum.map((one) => code(literal(one))).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(shapeText).join(' or ');
  if (schema.const !== undefined) return code(literal(schema.const));
  if (schema.type === 'object')
    return `object of ${
      Object.keys(schema.properties ?? {})
        .map(code)
        .join(', ') || 'anything'
    }`;
  return schema.type ?? 'JSON';
}

/** A section a case: score cards lead to them. */
function casesText(cases) {
  const sections = cases.map(({ name, why, unless }) => {
    const skipped = unless === undefined ? '' : `\n\nLeft out where ${unless}.`;
    return `## ${name}\n\n${why}${skipped}`;
  });
  return [`${cases.length} cases.`, ...sections].join('\n\n');
}

function optionsTable({ options }) {
  const rows = optionRows(z.toJSONSchema(options, { io: 'input' }), '');
  return rows.length === 0 ? 'It has no options.' : table([['option', 'value', 'default', 'what'], ...rows]);
}

/** One row an option; those of an object follow it, as `object.option`. */
function optionRows({ properties = {} }, prefix) {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    if (schema.description === undefined) throw new Error(`The option "${path}" has no description.`);
    const isObject = schema.type === 'object';
    const row = [
      code(path),
      takes(schema),
      isObject || schema.default === undefined ? '–' : code(literal(schema.default)),
      schema.description,
    ];
    return isObject ? [row, ...optionRows(schema, `${path}.`)] : [row];
  });
}

/** What an option takes, in words. */
function takes(schema) {
  if (schema.anyOf !== undefined) return schema.anyOf.map(takes).join(' or ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => takes({ ...schema, type })).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((one) => code(literal(one))).join(' or ');
  if (schema.const !== undefined) return code(literal(schema.const));
  if (schema.type === 'null') return code('null');
  if (schema.type === 'array') return `list of ${takes(schema.items)}${schema.items.enum === undefined ? 's' : ''}`;
  if (schema.type === 'boolean') return '`true` or `false`';
  if (schema.type !== 'number' && schema.type !== 'integer') return schema.type;
  return [schema.type === 'integer' ? 'whole number' : 'number', rangeOf(schema)].filter(Boolean).join(' ');
}

function rangeOf({ minimum, exclusiveMinimum, maximum }) {
  const least = exclusiveMinimum === undefined ? `≥ ${minimum}` : `> ${exclusiveMinimum}`;
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? least : `${least} and ≤ ${maximum}`;
}

/** A JSON value as it is written in TypeScript. */
function literal(value) {
  // With spaces, so that a long list is broken into lines.
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function code(text) {
  return `\`${text}\``;
}

/** @param {readonly (readonly string[])[]} rows  the first is the heading. */
function table([heading = [], ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heading), `|${' --- |'.repeat(heading.length)}`, ...rows.map(line)].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
