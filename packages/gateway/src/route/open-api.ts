import { z } from 'zod';
import type { OpenApiDocument, OpenApiOperation } from '../document/open-api-document.ts';
import { roles } from '../tokens/role.ts';
import type { Answer, Route } from './route.ts';

/** What the document says of itself. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Any problem, as `application/problem+json`. */
const problemSchema = z
  .strictObject({
    type: z.string().describe('`urn:varve:error:` and the code.'),
    title: z.string().describe('What the code means.'),
    status: z.int().describe('The status of the answer.'),
    detail: z.string().describe('What happened this time.'),
    code: z.string().describe('A stable code of the reference page "Errors"; `INTERNAL` for a fault of the gateway.'),
    fix: z.string().describe('What to do about it.'),
  })
  .describe('What went wrong (RFC 9457).');

/** Problems that every route may answer with. */
const everywhere = [400, 429, 500, 503];
const withToken = [401, 403];

const statusTexts: Readonly<Record<number, string>> = {
  400: 'The request is not what the route takes.',
  401: 'There is no token, or one that does not hold.',
  403: 'The token may not do this.',
  404: 'There is no such session, entry or request.',
  409: 'It cannot be done as things are now.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'It was understood, and refused.',
  429: 'There were too many requests, turns or streams.',
  500: 'The gateway failed.',
  502: 'A model, or whoever carries messages, failed.',
  503: 'The gateway is closing.',
};

/** The routes as an OpenAPI 3.1 document, made out of the schemas that check them. */
export function documentOf(routes: readonly Route[], info: OpenApiInfo): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const named: Record<string, unknown> = {};
  const toJson: ToJson = (schema, io) => jsonOf(schema, { io, named });
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route, toJson);
    paths[route.path] = operations;
  }
  const problems = { Problem: toJson(problemSchema, 'output') };
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      description: 'Sessions of Varve: what was said, what is sent, and why. Keys of sessions are percent-encoded.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: `Tokens have a role, from the one that may do least: ${roles.join(', ')}.`,
        },
      },
      schemas: { ...named, ...problems },
    },
  };
}

function operationOf(route: Route, toJson: ToJson): OpenApiOperation {
  const { id, tag, access, summary, description = '', body, problems = [], answers } = route;
  const isOpen = access === 'open';
  const statuses = [...new Set([...everywhere, ...(isOpen ? [] : withToken), ...problems])].sort((a, b) => a - b);
  const needs = isOpen ? 'Needs no token.' : `Needs a token of the role \`${access}\`, or a higher one.`;
  const parameters = [
    ...parametersOf(toJson(route.params, 'input'), 'path'),
    ...parametersOf(toJson(route.query, 'input'), 'query'),
  ];
  return {
    operationId: id,
    'x-role': access === 'open' ? 'none' : access,
    tags: [tag],
    summary,
    description: [description, needs].filter((text) => text !== '').join(' '),
    security: isOpen ? [] : [{ token: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: toJson(body, 'input') } } } }),
    responses: {
      ...answersOf(answers, toJson),
      ...Object.fromEntries(statuses.map((status) => [String(status), problemAnswer(status)])),
    },
  };
}

function answersOf(answers: readonly Answer[], toJson: ToJson): OpenApiOperation['responses'] {
  const byStatus = new Map<number, { description: string; content: Record<string, Json> }>();
  for (const { status = 200, what, type = 'application/json', schema } of answers) {
    const known = byStatus.get(status) ?? { description: what, content: {} };
    known.content[type] = { schema: toJson(schema, 'output') };
    byStatus.set(status, known);
  }
  return Object.fromEntries([...byStatus].map(([status, answer]) => [String(status), answer]));
}

function problemAnswer(status: number): OpenApiOperation['responses'][string] {
  return {
    description: statusTexts[status] ?? 'It failed.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

function parametersOf(json: Json, where: 'path' | 'query'): readonly Json[] {
  const { properties = {}, required = [] } = json as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

/** The JSON schema of what goes in, or of what comes out. */
type ToJson = (schema: z.ZodType, io: 'input' | 'output') => Json;

/** The JSON schema. Parts that have a name go into `named`, and are referred to. */
function jsonOf(
  schema: z.ZodType,
  { io, named }: { readonly io: 'input' | 'output'; readonly named: Record<string, unknown> },
): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  const { $schema: _, $defs = {}, ...rest } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
  Object.assign(named, $defs);
  return rest;
}
