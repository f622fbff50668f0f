import type { RequestLayer } from '../journal/entry.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Tokens } from '../units.ts';

/** How long the text of a layer stays the same; it decides where the layer stands, so that prompt caches stay warm. */
export type Stability = 'static' | 'session' | 'turn' | 'volatile';

/** One text of a layer, and the file that it was read from, if any. */
export interface LayerItem {
  readonly text: string;
  readonly source?: { readonly path: string; readonly hash: string } | undefined;
}

/** A layer as a plugin asks for it. */
export interface LayerSpec {
  /** Unique in the draft; stands in the manifest. */
  readonly id: string;
  /** `system`: above the conversation, with the authority of the host. `user`: in the conversation, as data. */
  readonly role: 'system' | 'user';
  readonly stability: Stability;
  /** Layers with a lower number yield first when space is short. @default 0 */
  readonly priority?: number | undefined;
  /** First line of the block. @default the id */
  readonly heading?: string | undefined;
  /** Most important first: what does not fit is left out from the end. */
  readonly items: readonly LayerItem[];
  /** Less than this cannot be left of the layer. @default 0 */
  readonly minTokens?: Tokens | undefined;
  /** The layer never takes more. @default no limit */
  readonly maxTokens?: Tokens | undefined;
}

/** Where a layer stands in a prompt, in this order. */
export type LayerPlace = RequestLayer['place'];

/** A layer of a draft. */
export interface Layer extends LayerSpec {
  readonly place: LayerPlace;
  /** The block as it is sent. */
  readonly text: string;
  readonly tokens: Tokens;
  readonly by: string;
  readonly rule: string;
}

/** What frames a message; a layer of the system role is one block, which costs about as much. */
const tokensPerBlock = 4;

/** Builds a layer: one block with a fixed heading, cut from the end to `maxTokens`. */
export function createLayer(
  spec: LayerSpec,
  { counter, by, rule }: { readonly counter: TokenCounter; readonly by: string; readonly rule: string },
): Layer {
  const heading = spec.heading ?? spec.id;
  let items = [...spec.items];
  let text = blockText(heading, items);
  let tokens = tokensPerBlock + counter.count(text);
  while (tokens > (spec.maxTokens ?? Infinity) && items.length > 0) {
    items = items.slice(0, -1);
    text = blockText(heading, items);
    tokens = tokensPerBlock + counter.count(text);
  }
  if (items.length === 0) return { ...spec, items, place: placeOf(spec), text: '', tokens: 0, by, rule };
  return { ...spec, items, place: placeOf(spec), text, tokens, by, rule };
}

function blockText(heading: string, items: readonly LayerItem[]): string {
  return [heading === '' ? [] : [`# ${heading}`], items.map((item) => item.text)].flat().join('\n\n');
}

function placeOf({ role, stability }: LayerSpec): LayerPlace {
  if (role === 'system') return 'system';
  return stability === 'static' || stability === 'session' ? 'summary' : 'volatile';
}

const stabilityOrder: readonly Stability[] = ['static', 'session', 'turn', 'volatile'];

/** Layers in the order in which they are sent: the stable ones first, else as they were added. */
export function inRenderOrder(layers: readonly Layer[]): readonly Layer[] {
  return layers.toSorted((a, b) => stabilityOrder.indexOf(a.stability) - stabilityOrder.indexOf(b.stability));
}
