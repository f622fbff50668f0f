import type { FilePath, Translation } from './translation.ts';

/** From where to where a model is said. */
export interface ModelPlaces {
  readonly from: FilePath;
  readonly to: readonly string[];
  /** Whether a list of models is said. @default false */
  readonly isList?: boolean | undefined;
}

/** Says a model: OpenClaw takes a name without a provider, if it is no short name, for one of Anthropic. */
export function putModel({ read, look, put, warn }: Translation, { from, to, isList = false }: ModelPlaces): void {
  const given = read(from);
  const { primary, fallbacks } =
    typeof given === 'object' && given !== null ? (given as Fallbacks) : { primary: given };
  if (Array.isArray(fallbacks) && fallbacks.length > 0) {
    warn([...from, 'fallbacks'], 'is not read: one model answers, and what it cannot answer is an error.');
  }
  const aliases = Object.values((look(['agents', 'defaults', 'models']) ?? {}) as Readonly<Record<string, unknown>>);
  const isAlias = aliases.some((one) => (one as { readonly alias?: unknown } | null)?.alias === primary);
  const isBare = typeof primary === 'string' && !primary.includes('/') && !isAlias;
  if (isBare) warn(from, `"${primary}" is read as "anthropic/${primary}".`);
  const name = isBare ? `anthropic/${primary}` : primary;
  put(to, isList && name !== undefined ? [name] : name, from);
}

interface Fallbacks {
  readonly primary?: unknown;
  readonly fallbacks?: unknown;
}
