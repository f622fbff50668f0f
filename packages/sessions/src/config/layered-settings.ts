import { pathText } from './path-text.ts';

/** One value of one layer. */
export interface LayeredSetting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly layer: 'default' | 'global' | 'agent' | 'channel' | 'session';
  /** Where it is written; `null` for what nobody wrote. */
  readonly from: string | null;
}

/** What settings belong to. */
export interface LayerPlace {
  readonly layer: LayeredSetting['layer'];
  /** Where they are written; `null` for what nobody wrote. */
  readonly at: readonly string[] | null;
  /** Whether `at` is the place of the one setting itself. @default false */
  readonly isWhole?: boolean | undefined;
}

/** Objects that are one value: half of one and half of another would be neither. */
const wholes: ReadonlySet<string> = new Set(['pruning.prices']);

/** The values in an object, however deep. What is `undefined` is not said. */
export function settingsOf(settings: object | undefined, place: LayerPlace): readonly LayeredSetting[] {
  return leavesOf(settings ?? {}, []).map(({ path, value }) => {
    const written = place.at === null ? null : pathText(place.isWhole === true ? place.at : [...place.at, ...path]);
    return { path, value, layer: place.layer, from: written };
  });
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leavesOf(value: unknown, path: readonly string[]): readonly Leaf[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || wholes.has(path.join('.'))) {
    return [{ path, value }];
  }
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

/** The object that has these values in it. */
export function nested(leaves: readonly Leaf[]): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {};
  for (const { path, value } of leaves) {
    let at = root;
    for (const part of path.slice(0, -1)) {
      const inner = at[part];
      const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
      at[part] = next;
      at = next;
    }
    const name = path.at(-1);
    if (name !== undefined) at[name] = value;
  }
  return root;
}
