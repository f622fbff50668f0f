import type { SessionLine } from '../../src/shapes/session-shapes.ts';
import type { GatewayClient } from './gateway-client.ts';

export type { SessionLine };

/** What is looked for in a list. */
export interface ListQuery {
  readonly text: string;
  readonly kind: string;
  readonly sort: string;
}

interface Page {
  readonly sessions: readonly SessionLine[];
  readonly next: string | null;
}

/** One page of a list. */
export function readSessions(
  client: GatewayClient,
  { text, kind, sort }: ListQuery,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Page> {
  const given = (value: string): string | undefined => (value === '' ? undefined : value);
  return client.get<Page>('/v1/sessions', { text: given(text.trim()), kind: given(kind), sort, after, limit });
}
