import type { ModelErrorKind } from '@varve/adapters/provider-errors';

/** An error of a provider, as somebody met it. */
export interface ErrorFixture {
  readonly provider: string;
  readonly kind: ModelErrorKind;
  /** HTTP status, where the source tells it. */
  readonly status?: number;
  readonly given?: number;
  readonly limit?: number;
  /** Where it can be read. */
  readonly source: string;
  /** The short text of the error as it stands there, line breaks of terminals left out. */
  readonly quote: string;
}
