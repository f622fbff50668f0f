import type { JsonValue } from '@varve/core';

/** How much a model may be told to think, from least to most. */
export const thinkingLevels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** How much a model is to think, where it can. */
export type ThinkingLevel = (typeof thinkingLevels)[number];

/** How much may be told of what happens beside the answers, from least to most. */
export const verboseLevels = ['off', 'on', 'full'] as const;

/** `on` tells of compactions that nobody asked for, `full` of the tools that were called, too. */
export type VerboseLevel = (typeof verboseLevels)[number];

/** What a value of the setting `thinking`, or of `model`, says: any text; `null` for nothing. */
export function textOfSetting(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What a value of the setting `verbose` says, as a word or as yes and no; `null` for nothing, and for what is neither. */
export function verboseOfSetting(value: JsonValue | undefined): VerboseLevel | null {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return verboseLevels.find((level) => level === value) ?? null;
}

/** The level that a word names, whatever its case; `null` for none. */
export function levelNamed<Level extends string>(levels: readonly Level[], word: string): Level | null {
  return levels.find((level) => level === word.toLowerCase()) ?? null;
}
