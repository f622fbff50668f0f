import type { AgentSettings } from './agent-settings.ts';
import type { ResetSettings } from './reset-settings.ts';

/** What holds where nobody says anything: the lowest layer. What depends on the model or the machine is not among it. */
export const defaultSettings: Required<Pick<AgentSettings, 'thinking' | 'verbose' | 'budget' | 'pruning'>> &
  Pick<AgentSettings, 'compaction' | 'recall' | 'memory' | 'instructions'> & { readonly reset: ResetSettings } = {
  thinking: null,
  verbose: 'off',
  instructions: null,
  budget: { outputReserveRatio: 0.2, reservedTokens: 0, safetyTokens: 0 },
  pruning: {
    enabled: true,
    mode: 'auto',
    prices: 'anthropic-5m',
    keepLastAssistants: 3,
    minPrunableToolChars: 50_000,
    softTrim: { maxChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    hardClear: { enabled: true, placeholder: '[Old tool result content cleared]' },
    tools: { allow: [], deny: [] },
    images: 'keep',
  },
  compaction: {
    enabled: true,
    models: [],
    waitForProse: true,
    compactAtHardLimit: true,
    compactAtRatio: null,
    compactAtMessages: null,
    compactAtBytes: null,
    keepRecentTokens: null,
    keepRecentMessages: null,
    maskToolResultsAfterAssistants: 2,
  },
  recall: { enabled: true, noteTokens: 600, minScore: 0.5, tools: true },
  memory: { enabled: false },
  reset: { mode: 'daily', atHour: 4, timeZone: null, idleMinutes: null, combine: 'any' },
};
