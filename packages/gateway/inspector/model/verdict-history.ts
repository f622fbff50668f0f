import type { ReportConversation } from '../../src/inspector/session-report.ts';
import type { ExplainedMessage } from './session-source.ts';
import { previewOf } from './visible-text.ts';

const previewCharacters = 140;

/** Verdicts of a conversation, for any of its requests: each is what the requests up to it have changed. */
export function createVerdictHistory({
  messages,
  changes,
}: Pick<ReportConversation, 'messages' | 'changes'>): (number: number) => readonly ExplainedMessage[] {
  const previews = new Map<number, string>();
  const place = new Map(messages.map(({ seq }, index) => [seq, index]));
  const seqs = messages.map(({ seq }) => seq);
  return (number) => {
    const kinds = new Array<(typeof changes)[number][number] | undefined>(messages.length);
    for (const change of changes.slice(0, number).flat()) {
      const { seq, toSeq = seq } = change;
      const from = place.get(seq) ?? firstFrom(seqs, seq);
      for (let index = from; index < seqs.length && (seqs[index] ?? 0) <= toSeq; index += 1) kinds[index] = change;
    }
    return messages.flatMap(({ seq, role, tokens, text }, index) => {
      const change = kinds[index];
      if (change === undefined) return [];
      const preview = previews.get(seq) ?? previewOf(text, previewCharacters);
      previews.set(seq, preview);
      return [{ seq, role, tokens, preview, kind: change.verdict, rule: change.rule ?? '', by: change.by ?? '' }];
    });
  };
}

/** The first place whose seq is not smaller. */
function firstFrom(seqs: readonly number[], seq: number): number {
  let [low, high] = [0, seqs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seqs[middle] ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
