import { type EntryExplanation, type Explanation, type Session, textsOfMessage } from '@varve/core';
import { cutLine } from '../terminal/cut-line.ts';
import { printableText } from '../terminal/printable-text.ts';

/** A model that nobody described: its prompts are bounded by what every model takes. */
const anyModel = { provider: 'any', model: 'model' };

const previewCharacters = 80;

/** What the first request of a session would be of which none was made, as one that was imported. Its number is 0. */
export async function nextRequest(session: Session, { seq }: { readonly seq?: number }): Promise<Explanation> {
  const { tokens, manifest } = await session.assemble({ model: anyModel, dryRun: true });
  const previews = new Map<number, string>();
  for await (const entry of session.read()) {
    if (entry.type !== 'message') continue;
    const text = printableText(textsOfMessage(entry.message).join(' '));
    previews.set(entry.seq, cutLine(text, previewCharacters));
  }
  const entries = manifest.entries.map(({ seq: own, role, tokens: size, kind, rule, by }): EntryExplanation => {
    return { seq: own, role, preview: previews.get(own) ?? '', tokens: size, verdict: { kind, rule, by } };
  });
  return {
    request: 0,
    seq: 0,
    at: 0,
    model: 'any model',
    budget: null,
    tokens,
    factor: 1,
    firstChangedByte: null,
    layers: manifest.layers,
    notes: [],
    entries: entries.filter((entry) => seq === undefined || entry.seq === seq),
    changes: [],
  };
}
