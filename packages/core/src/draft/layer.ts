import type { RequestLayer } from '../journal/entry.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq, Tokens } from '../units.ts';

/** How long the text of a layer stays the same; it decides where the layer stands, so that prompt caches stay warm. */
export type Stability = 'static' | 'session' | 'turn' | 'volatile';

/** One text of a layer or a note, with the file that it was read from, or the entries that it quotes, if any. */
export interface LayerItem {
  readonly text: string;
  readonly source?: { readonly path: string; readonly hash: string } | undefined;
  /** Entries that the text quotes: what is said of them names the plugin, and forgetting them takes the text along. */
  readonly seqs?: readonly Seq[] | undefined;
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
  const block = blockWithin(spec, { counter, limit: spec.maxTokens ?? Infinity });
  return { ...spec, ...block, place: placeOf(spec), by, rule };
}

/** The layer with so many items less, from the end, that it takes `limit` tokens, or down to its `minTokens`. */
export function shrinkLayer(
  layer: Layer,
  { counter, limit }: { readonly counter: TokenCounter; readonly limit: Tokens },
): Layer {
  const least = layer.minTokens ?? 0;
  const block = blockWithin(layer, { counter, limit: Math.max(limit, 0) });
  if (block.tokens >= least) return { ...layer, ...block };
  const isEnough = (count: number): boolean => blockOf(layer, { counter, count }).tokens >= least;
  const count = firstWhere({ from: block.items.length, to: layer.items.length }, isEnough);
  return count === layer.items.length ? layer : { ...layer, ...blockOf(layer, { counter, count }) };
}

/** What a block of text is made of: its heading, the id where it has none, and its items. */
type BlockSpec = Pick<LayerSpec, 'id' | 'heading' | 'items'>;

/** Items under their heading, as one text. */
export type Block = Pick<Layer, 'items' | 'text' | 'tokens'>;

/** A block of as many items as the limit allows. Halves the distance each time: long lists are counted a few times. */
export function blockWithin(
  spec: BlockSpec,
  { counter, limit }: { readonly counter: TokenCounter; readonly limit: Tokens },
): Block {
  const { length } = spec.items;
  const whole = blockOf(spec, { counter, count: length });
  if (whole.tokens <= limit) return whole;
  const isTooLarge = (count: number): boolean => blockOf(spec, { counter, count }).tokens > limit;
  const tooLarge = firstWhere({ from: 1, to: length }, isTooLarge);
  return blockOf(spec, { counter, count: Math.max(0, tooLarge - 1) });
}

/** The first number from `from` that holds, where all behind it hold too; `to` if none before it does. */
function firstWhere(
  { from, to }: { readonly from: number; readonly to: number },
  holds: (count: number) => boolean,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The block of the first `count` items. */
function blockOf(
  spec: BlockSpec,
  { counter, count }: { readonly counter: TokenCounter; readonly count: number },
): Block {
  const items = spec.items.slice(0, count);
  if (items.length === 0) return { items, text: '', tokens: 0 };
  const text = blockText(spec.heading ?? spec.id, items);
  return { items, text, tokens: tokensPerBlock + counter.count(text) };
}

function blockText(heading: string, items: readonly LayerItem[]): string {
  return [heading === '' ? [] : [`# ${heading}`], items.map((item) => item.text)].flat().join('\n\n');
}

function placeOf({ role, stability }: LayerSpec): LayerPlace {
  if (role === 'system') return 'system';
  return stability === 'static' || stability === 'session' ? 'summary' : 'volatile';
}

/** The entries that items quote, each once, in order. */
export function quotedSeqs(items: readonly LayerItem[]): readonly Seq[] {
  return [...new Set(items.flatMap(({ seqs = [] }) => seqs))].sort((a, b) => a - b);
}

const stabilityOrder: readonly Stability[] = ['static', 'session', 'turn', 'volatile'];

/** Layers in the order in which they are sent: the stable ones first, else as they were added. */
export function inRenderOrder(layers: readonly Layer[]): readonly Layer[] {
  return layers.toSorted((a, b) => stabilityOrder.indexOf(a.stability) - stabilityOrder.indexOf(b.stability));
}
