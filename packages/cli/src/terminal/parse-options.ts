import { type Milliseconds, type Tokens, VarveError } from '@varve/core';

const tokenUnits: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };
const timeUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Largest number of tokens that makes sense: beyond it, `none` is meant. */
const mostTokens = 1_000_000_000;

/** Reads `32k`, `32000`, `1m` or `none`, which is `Infinity`. @throws VARVE_USAGE */
export function parseBudget(text: string): Tokens {
  if (text.trim().toLowerCase() === 'none') return Infinity;
  const tokens = tokensIn(text);
  if (tokens !== null && tokens >= 1) return tokens;
  throw usage(`"${text}" is no budget.`, 'Give at least 1 token, as 32k, 32000 or 1m, or "none" for no limit.');
}

/** Reads `12k`, `12000` or `0`. @throws VARVE_USAGE */
export function parseTokens(text: string): Tokens {
  const tokens = tokensIn(text);
  if (tokens !== null) return tokens;
  throw usage(`"${text}" is no number of tokens.`, 'Give a number such as 12k or 12000.');
}

/** Reads `10s`, `500ms`, `5m`, `1h`; a bare number is seconds. @throws VARVE_USAGE */
export function parseGap(text: string): Milliseconds {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/i.exec(text.trim());
  const unit = timeUnits[(match?.[2] ?? 's').toLowerCase()];
  const gap = match === null || unit === undefined ? Number.NaN : Math.round(Number(match[1]) * unit);
  if (Number.isSafeInteger(gap)) return gap;
  throw usage(`"${text}" is no span of time.`, 'Give a number with its unit, such as 10s, 500ms or 5m.');
}

/** Reads a whole number from 1. @throws VARVE_USAGE */
export function parseNumber(text: string): number {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw usage(`"${text}" is no whole number from 1.`, 'Count from 1.');
}

/** Reads `3,7`: the numbers of two requests. @throws VARVE_USAGE */
export function parseDiff(text: string): readonly [earlier: number, later: number] {
  const [first, second, ...rest] = text.split(',');
  if (first === undefined || second === undefined || rest.length > 0) {
    throw usage(`"${text}" does not name two requests.`, 'Give two numbers with a comma, such as 12,13.');
  }
  const [a, b] = [parseNumber(first), parseNumber(second)];
  return a <= b ? [a, b] : [b, a];
}

/** Reads how long a provider keeps what is cached. @throws VARVE_USAGE */
export function parseCacheTtl(text: string): '5m' | '1h' | 'auto' {
  if (text === '5m' || text === '1h' || text === 'auto') return text;
  throw usage(`"${text}" is no life of a prompt cache.`, 'Give 5m, 1h or auto.');
}

/** Reads `a,b` into names; `none` is no plugin at all. @throws VARVE_USAGE */
export function parsePluginNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0]?.toLowerCase() === 'none') return [];
  if (names.every((name) => name !== '' && name !== 'none')) return names;
  throw usage(`"${text}" is no list of plugins.`, 'Give names with commas, such as ttl-pruning,summary-compaction.');
}

/** An error in how the command line was used. */
export function usage(message: string, fix: string): VarveError {
  return new VarveError('VARVE_USAGE', message, { fix });
}

function tokensIn(text: string): Tokens | null {
  const match = /^(\d+(?:\.\d+)?|\.\d+)([km]?)$/i.exec(text.trim().replaceAll('_', ''));
  const tokens =
    match === null ? Number.NaN : Math.round(Number(match[1]) * (tokenUnits[match[2]?.toLowerCase() ?? ''] ?? 1));
  return tokens <= mostTokens ? tokens : null;
}
