import { identifiersOf } from './identifiers.ts';

/** What the judge needs of a message of a trajectory. */
export interface NeedsMessage {
  readonly role: string;
  readonly body: string;
  readonly tokens: number;
}

/** One identifier that a step uses and that was last seen far before it. */
export interface FarNeed {
  readonly identifier: string;
  /** Up to six original lines that held it, newest last. */
  readonly lines: readonly string[];
}

/** M2 of one request: shares from 0 to 1. */
export interface NeedsScore {
  readonly identifiers: number;
  /** `null` when no need has a line of its own. */
  readonly lines: number | null;
}

const mostLines = 6;
const linesPerMessage = 2;
const longestLine = 500;
const longestCompared = 300;
/** A line must say more than the identifier. */
const leastBeside = 8;

/**
 * M2. For each step (a message of the assistant) the identifiers that it uses, that occurred before, and whose last
 * occurrence ended at least `distance` tokens before it. Steps without any are absent.
 */
export function farNeeds(messages: readonly NeedsMessage[], distance: number): ReadonlyMap<number, readonly FarNeed[]> {
  const needs = new Map<number, readonly FarNeed[]>();
  const seen = new Map<string, { end: number; lines: string[] }>();
  let position = 0;
  for (const [index, { role, body, tokens }] of messages.entries()) {
    const identifiers = identifiersOf(body);
    if (role === 'assistant') {
      const far = [...identifiers].flatMap((identifier) => {
        const before = seen.get(identifier);
        if (before === undefined || position - before.end < distance) return [];
        return [{ identifier, lines: before.lines.slice(-mostLines) }];
      });
      if (far.length > 0) needs.set(index, far);
    }
    position += tokens;
    for (const identifier of identifiers) {
      const entry = seen.get(identifier) ?? { end: 0, lines: [] };
      entry.end = position;
      entry.lines.push(...linesWith(body, identifier));
      if (entry.lines.length > 2 * mostLines) entry.lines = entry.lines.slice(-mostLines);
      seen.set(identifier, entry);
    }
  }
  return needs;
}

/** The first lines of a body that hold an identifier and say more than it. */
function linesWith(body: string, identifier: string): readonly string[] {
  const lines: string[] = [];
  let at = body.indexOf(identifier);
  for (let found = 0; at >= 0 && found < linesPerMessage; found += 1) {
    const start = body.lastIndexOf('\n', at) + 1;
    const end = body.indexOf('\n', at);
    const stop = end < 0 ? body.length : end;
    const line = body.slice(start, stop).trim();
    if (line.length > identifier.length + leastBeside && line.length <= longestLine) {
      lines.push(line.slice(0, longestCompared));
    }
    at = body.indexOf(identifier, stop);
  }
  return lines;
}

/** Shares of the needs whose identifier, and whose identifier with one of its lines, stand in the context verbatim. */
export function scoreNeeds(needs: readonly FarNeed[], context: string): NeedsScore {
  const visible = needs.filter(({ identifier }) => context.includes(identifier));
  const lined = needs.filter(({ lines }) => lines.length > 0);
  const withLine = lined.filter((need) => visible.includes(need) && need.lines.some((line) => context.includes(line)));
  return {
    identifiers: visible.length / needs.length,
    lines: lined.length === 0 ? null : withLine.length / lined.length,
  };
}
