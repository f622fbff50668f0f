import type { OpenApiDocument } from './document/open-api-document.ts';
import { documentOf } from './route/open-api.ts';
import { allRoutes } from './routes/all-routes.ts';

export type { OpenApiDocument, OpenApiOperation } from './document/open-api-document.ts';

/** What the document says of the program that runs. */
export interface OpenApiOptions {
  /** @default '0' */
  readonly version?: string | undefined;
}

/** The OpenAPI 3.1 document of a gateway: what `GET /openapi.json` answers with. */
export function openApiDocument({ version = '0' }: OpenApiOptions = {}): OpenApiDocument {
  return documentOf(allRoutes, { title: 'Varve gateway', version });
}
