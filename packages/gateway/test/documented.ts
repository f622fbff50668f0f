import { type OpenApiOperation, openApiDocument } from '@varve/gateway/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Called } from './served.ts';

/** The document, and what holds answers against it. */
export interface Documented {
  /** `GET /v1/sessions/{session}` and so on. */
  readonly operations: readonly string[];
  /** Those that need a token. */
  readonly closed: readonly string[];
  /** The operation of a call; `null` for none. */
  operationOf(method: string, path: string): string | null;
  /** What is wrong with an answer, in words; empty for one that is as the document says. */
  faultsOf(operation: string, called: Pick<Called, 'status' | 'headers' | 'json'>): readonly string[];
}

/** Reads the document. */
export function documented(): Documented {
  const document = openApiDocument();
  const { paths } = document;
  const byName = new Map<string, OpenApiOperation>(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
    ),
  );
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'document' });
  return {
    operations: [...byName.keys()],
    closed: [...byName].filter(([, one]) => one['x-role'] !== 'none').map(([name]) => name),
    operationOf: (method, path) => {
      const [plain = ''] = path.split('?');
      return [...byName.keys()].find((name) => isPath(name, `${method} ${plain}`)) ?? null;
    },
    faultsOf: (operation, { status, headers, json }) => {
      const answer = byName.get(operation)?.responses[String(status)];
      if (answer === undefined) return [`${operation} does not say that it may answer with ${status}`];
      const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
      if (!Object.hasOwn(answer.content, type)) return [`${operation} does not say that it may answer with ${type}`];
      if (!type.includes('json')) return [];
      const [path, method] = [operation.slice(operation.indexOf(' ') + 1), operation.split(' ')[0]?.toLowerCase()];
      const pointer = ['paths', path, method ?? '', 'responses', String(status), 'content', type, 'schema']
        .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/');
      const validate = ajv.getSchema(`document#/${pointer}`);
      if (validate === undefined) return [`${operation} has no schema for ${status}`];
      if (validate(json) === true) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message }) => `${operation} ${status}: ${instancePath} ${message}`,
      );
    },
  };
}

function isPath(name: string, call: string): boolean {
  const [parts, given] = [name.split('/'), call.split('/')];
  return parts.length === given.length && parts.every((part, index) => part.startsWith('{') || part === given[index]);
}
