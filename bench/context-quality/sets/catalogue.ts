import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chinese } from './dialogues/chinese.ts';
import type { DialogueLanguage } from './dialogues/dialogue-language.ts';
import { english } from './dialogues/english.ts';
import { german } from './dialogues/german.ts';
import { japanese } from './dialogues/japanese.ts';
import { korean } from './dialogues/korean.ts';
import { makeDialogue } from './dialogues/make-dialogue.ts';
import { loadSwePlay, loadSweShort, loadTau } from './load-agent-runs.ts';
import { loadBfcl, loadHgTods, loadKdconv, loadMemoryBank } from './load-chats.ts';
import { loadClaudeCode } from './load-claude-code.ts';
import { loadLocomo, loadLocomoMerged } from './load-locomo.ts';
import { loadPi } from './load-pi.ts';
import type { Trajectory } from './trajectory.ts';

/** A set of conversations, and how it is measured. */
export interface QualitySet {
  readonly name: string;
  /** What a question or a step is judged by. */
  readonly kind: 'chat' | 'agent';
  /** Budgets of the table, where none are asked for. */
  readonly budgets: readonly number[];
  /** A need is far from this many tokens on. */
  readonly distance: number;
  /** Every how many steps are judged, where nobody says. */
  readonly every: number;
  /** Whether it needs `--data`. */
  readonly isShipped: boolean;
  /** Whether it runs where no set is named. */
  readonly isUsual: boolean;
  load(options: LoadOptions): readonly Trajectory[];
}

/** Where sets come from. */
export interface LoadOptions {
  readonly data: string;
  readonly seed: number;
}

const dialoguesPerLanguage = 6;
const root = fileURLToPath(new URL('../../../', import.meta.url));
const chat = { kind: 'chat', distance: 0, every: 1, isShipped: false, isUsual: true } as const;
const agent = { kind: 'agent', distance: 4_000, every: 1, isShipped: false, isUsual: true } as const;

function dialogues(language: DialogueLanguage): QualitySet {
  const name = `dialogues-${language.code}`;
  return {
    ...chat,
    name,
    budgets: [500, 2_000],
    isShipped: true,
    load: ({ seed }) =>
      Array.from({ length: dialoguesPerLanguage }, (_, index) =>
        makeDialogue(language, { seed: seed + index, set: name, id: `${name}-${index + 1}` }),
      ),
  };
}

/** All sets that there are. */
export const qualitySets: readonly QualitySet[] = [
  ...[english, chinese, japanese, korean, german].map(dialogues),
  {
    ...agent,
    name: 'recorded',
    budgets: [8_000, 32_000],
    isShipped: true,
    load: () => [loadPi(join(root, 'examples/transcripts/varve-session.jsonl'), 'recorded')],
  },
  {
    ...chat,
    name: 'locomo',
    budgets: [2_000, 4_000, 8_000],
    every: 5,
    load: ({ data }) => loadLocomo(join(data, 'locomo'), 'locomo'),
  },
  {
    ...chat,
    name: 'locomo-merged',
    budgets: [2_000, 8_000],
    every: 12,
    isUsual: false,
    load: ({ data }) => loadLocomoMerged(join(data, 'locomo'), 'locomo-merged'),
  },
  { ...chat, name: 'bfcl', budgets: [1_000, 2_000], load: ({ data }) => loadBfcl(join(data, 'bfcl'), 'bfcl') },
  {
    ...chat,
    name: 'memorybank-zh',
    budgets: [1_000],
    load: ({ data }) => loadMemoryBank(join(data, 'memorybank'), 'memorybank-zh'),
  },
  {
    ...chat,
    name: 'kdconv',
    budgets: [1_000, 4_000],
    load: ({ data }) => loadKdconv(join(data, 'kdconv'), 'kdconv'),
  },
  {
    ...chat,
    name: 'hg-tods',
    budgets: [1_000, 4_000],
    load: ({ data }) => loadHgTods(join(data, 'hg-tods-ko'), 'hg-tods'),
  },
  { ...agent, name: 'claude-code', budgets: [8_000, 32_000], load: ({ data }) => claudeCode(data) },
  {
    ...agent,
    name: 'pi',
    budgets: [8_000, 32_000],
    load: ({ data }) => files(join(data, 'pi-mono'), /\.jsonl$/).map((path) => loadPi(path, 'pi')),
  },
  {
    ...agent,
    name: 'swe-play',
    budgets: [4_000, 8_000],
    load: ({ data }) => loadSwePlay(join(data, 'agent-data-protocol'), 'swe-play'),
  },
  {
    ...agent,
    name: 'swe-short',
    budgets: [2_000, 4_000],
    distance: 1_000,
    isUsual: false,
    load: ({ data }) => loadSweShort(data, 'swe-short'),
  },
  {
    ...agent,
    name: 'tau',
    budgets: [2_000],
    distance: 1_000,
    isUsual: false,
    load: ({ data }) => loadTau(join(data, 'tau-bench'), 'tau'),
  },
];

/** Whole sessions alone: those of subagents hang on others. */
function claudeCode(data: string): readonly Trajectory[] {
  return files(join(data, 'claude-code-spotter'), /^[0-9a-f-]{36}\.jsonl$/).map((path) =>
    loadClaudeCode(path, 'claude-code'),
  );
}

function files(folder: string, pattern: RegExp): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(folder, name));
}
