import type { Role } from '../tokens/role.ts';

type Json = Readonly<Record<string, unknown>>;

/** An operation of the document: what is read of it most. */
export interface OpenApiOperation extends Json {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  /** The least role of a token that may call it; `none` for what is open to anybody. */
  readonly 'x-role': 'none' | Role;
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Json }>>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}
