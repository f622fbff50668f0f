import type { CompactOutcome } from '../../compaction/compaction.ts';
import type { Draft } from '../../draft/draft.ts';
import type { CompactionEntry, CompactTrigger } from '../../journal/entry.ts';
import type { Tokens } from '../../units.ts';
import type { DraftRequest, PromptRequest } from '../prompt-request.ts';
import type { RunFacts } from '../session-runtime.ts';
import { pressureOf } from '../start-draft.ts';

/** What a compaction is asked for. */
export interface CompactOptions extends Pick<PromptRequest, 'model' | 'tools' | 'query' | 'signal'> {
  /** What the summary should pay attention to. */
  readonly instructions?: string | undefined;
}

/** What core itself asks of a compaction. */
export interface CompactJob
  extends CompactOptions,
    Pick<PromptRequest, 'ceilingTokens' | 'shelf' | 'turn'>,
    Pick<DraftRequest, 'layers'> {}

/** What taps of a compaction's hooks are told. */
export function compactFacts(options: CompactJob, draft: Draft): RunFacts {
  const { model, signal, turn } = options;
  return { model, budget: draft.budget, pressure: pressureOf(draft), query: null, signal, records: null, turn };
}

/** How a compaction ended; without `after`, the prompt is as it was. */
export function outcome(parts: {
  readonly status: CompactOutcome['status'];
  readonly why: string;
  readonly trigger: CompactTrigger;
  readonly before: Tokens;
  readonly after?: Tokens;
  readonly entry?: CompactionEntry;
}): CompactOutcome {
  const { status, why, trigger, before, after = before, entry = null } = parts;
  return { status, why, trigger, entry, tokensBefore: before, tokensAfter: after };
}
