import type { Role } from '../tokens/role.ts';

/** An operation of the document: what is read of it most. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  /** The least role of a token that may call it; `none` for what is open to anybody. */
  readonly 'x-role': 'none' | Role;
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: Readonly<Record<string, unknown>> }>
  >;
  readonly [field: string]: unknown;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly [field: string]: unknown;
}
