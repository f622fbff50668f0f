import type { PictureRequest, ReportConversation } from '../../src/inspector/session-report.ts';
import type { ExplainedMessage } from './session-source.ts';
import { previewOf } from './visible-text.ts';

const previewCharacters = 140;

/** What verdicts are added up from. */
interface VerdictFacts extends Pick<ReportConversation, 'messages' | 'changes'> {
  readonly requests: readonly Pick<PictureRequest, 'seq'>[];
}

/**
 * Verdicts of a conversation, for any of its requests: each is what the requests up to it have changed. What none of them
 * has said anything of is kept; what came behind a request was not known to it.
 */
export function createVerdictHistory({
  messages,
  requests,
  changes,
}: VerdictFacts): (number: number) => readonly ExplainedMessage[] {
  const previews = new Map<number, string>();
  const place = new Map(messages.map(({ seq }, index) => [seq, index]));
  const seqs = messages.map(({ seq }) => seq);
  return (number) => {
    const kinds = new Array<(typeof changes)[number][number] | undefined>(messages.length);
    const open = createOpenPlaces(messages.length);
    // From the newest on: what has been decided is not looked at again, however many compactions cover it.
    for (let request = Math.min(number, changes.length) - 1; request >= 0; request -= 1) {
      for (const change of changes[request]?.toReversed() ?? []) {
        const { seq, toSeq = seq } = change;
        let index = open.from(place.get(seq) ?? firstFrom(seqs, seq));
        while (index < seqs.length && (seqs[index] ?? 0) <= toSeq) {
          kinds[index] = change;
          open.close(index);
          index = open.from(index);
        }
      }
    }
    const at = requests.slice(0, number).findLast(({ seq }) => seq !== null)?.seq ?? 0;
    return messages.slice(0, firstFrom(seqs, at)).map(({ seq, role, tokens, text }, index) => {
      const change = kinds[index];
      const preview = previews.get(seq) ?? previewOf(text, previewCharacters);
      previews.set(seq, preview);
      return {
        seq,
        role,
        tokens,
        preview,
        kind: change?.verdict ?? 'kept',
        rule: change?.rule ?? '',
        by: change?.by ?? '',
      };
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

/** Places that nothing has been decided for. */
interface OpenPlaces {
  /** The first one from there on; the number of places where there is none. */
  from(index: number): number;
  close(index: number): void;
}

function createOpenPlaces(count: number): OpenPlaces {
  const next = Uint32Array.from({ length: count + 1 }, (_, index) => index);
  const at = (index: number): number => next[index] ?? count;
  return {
    from: (index) => {
      let found = index;
      while (at(found) !== found) {
        next[found] = at(at(found));
        found = at(found);
      }
      return found;
    },
    close: (index) => {
      next[index] = index + 1;
    },
  };
}
