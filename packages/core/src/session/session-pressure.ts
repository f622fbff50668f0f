import type { Budget, PressureLevel } from '../budget.ts';
import type { Draft } from '../draft/draft.ts';
import { byteLevel, bytesOf } from '../draft/draft-bytes.ts';
import { sizeOf } from '../draft/window-cut.ts';
import type { Tokens } from '../units.ts';
import { pressureOf } from './start-draft.ts';

/** How large the next prompt would be, against what it may be. */
export interface SessionPressure {
  /** Counted tokens, with the tools and what the host sends besides. */
  readonly tokens: Tokens;
  /** The higher one of what tokens and bytes come to. */
  readonly level: PressureLevel;
  /** What presses more: only tokens are made fewer by a compaction; for bytes, images and files are left out. */
  readonly by: 'tokens' | 'bytes';
  /** Bytes without the tools; `null` where there is no limit. */
  readonly bytes: number | null;
  /** The budget that all this is held against; its `factor` is what counts have proved to be worth. */
  readonly budget: Budget;
}

const levels: readonly PressureLevel[] = ['none', 'soft', 'hard', 'overflow'];

/** How full a draft is, in tokens and in bytes. */
export function sessionPressure(draft: Draft): SessionPressure {
  const { budget } = draft;
  const bytes = budget.inputBytes === Infinity ? null : bytesOf(draft);
  const inTokens = pressureOf(draft);
  const inBytes = bytes === null ? 'none' : byteLevel(bytes, budget.inputBytes);
  const isBytes = levels.indexOf(inBytes) > levels.indexOf(inTokens);
  return {
    tokens: sizeOf(draft),
    level: isBytes ? inBytes : inTokens,
    by: isBytes ? 'bytes' : 'tokens',
    bytes,
    budget,
  };
}
