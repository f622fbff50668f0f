import { renderDigest } from '../digest/render-digest.ts';
import type { CarriedState } from '../journal/carried-state.ts';
import type { CompactionEntry, MessageEntry } from '../journal/entry.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { createLayer, type Layer } from './layer.ts';

/** The layer of what the system says; none where it says nothing. */
export function systemLayers(entries: readonly MessageEntry[], counter: TokenCounter): readonly Layer[] {
  if (entries.length === 0) return [];
  const items = entries.map(({ message }) => ({ text: typeof message.content === 'string' ? message.content : '' }));
  const spec = { id: 'system', role: 'system', stability: 'static', heading: '', priority: Infinity, items } as const;
  return [createLayer(spec, { counter, by: 'core', rule: 'system-message' })];
}

/** The layer of a compaction's summary; none without a compaction. It is rendered and counted once. */
export function summaryLayers(compaction: CompactionEntry | null, counter: TokenCounter): readonly Layer[] {
  if (compaction === null) return [];
  const known = summaries.get(compaction);
  if (known?.counter === counter) return known.layers;
  const layers = [summaryLayer(compaction, counter)];
  summaries.set(compaction, { counter, layers });
  return layers;
}

const summaries = new WeakMap<CompactionEntry, { readonly counter: TokenCounter; readonly layers: readonly Layer[] }>();

function summaryLayer(compaction: CompactionEntry, counter: TokenCounter): Layer {
  const { digest, prose, range, instructions } = compaction;
  const text = renderDigest({ digest, prose, counter, instructions, range: { fromSeq: 1, toSeq: range.to.seq } });
  const spec = {
    id: 'summary',
    role: 'user',
    stability: 'session',
    heading: '',
    priority: Infinity,
    items: [{ text }],
  } as const;
  return createLayer(spec, { counter, by: 'core', rule: 'compaction' });
}

/** The layer of the state slots that have a text; none where no slot has. */
export function stateLayers(slots: CarriedState['slots'], counter: TokenCounter): readonly Layer[] {
  const items = Object.keys(slots)
    .sort()
    .flatMap((slot) => {
      const text = slots[slot]?.[0]?.text ?? null;
      return text === null ? [] : [{ text: `${slot}: ${text}` }];
    });
  if (items.length === 0) return [];
  const spec = {
    id: 'state',
    role: 'user',
    stability: 'volatile',
    heading: 'State',
    priority: Infinity,
    items,
  } as const;
  return [createLayer(spec, { counter, by: 'core', rule: 'state' })];
}
