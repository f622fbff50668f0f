import { parseByteSize } from '../byte-size.ts';
import { putModel } from './model-text.ts';
import { translatePruning } from './translate-pruning.ts';
import type { FilePath, Translation } from './translation.ts';

/** Where an agent's settings stand, and where they go. */
export interface AgentPlaces {
  readonly from: FilePath;
  /** `['global']`, or `['agents', id]`. */
  readonly to: readonly string[];
}

/** What is said of one agent, or of all: `agents.defaults`, one of `agents.list`, or the older `agent`. */
export function translateAgent(translation: Translation, { from, to }: AgentPlaces): void {
  const { copy, look } = translation;
  if (look(from) === undefined) return;
  copy([...from, 'thinkingDefault'], [...to, 'thinking']);
  copy([...from, 'verboseDefault'], [...to, 'verbose']);
  copy([...from, 'contextTokens'], [...to, 'budget', 'contextTokens']);
  translatePruning(translation, { from: [...from, 'contextPruning'], to: [...to, 'pruning'] });
  translateCompaction(translation, { from: [...from, 'compaction'], to: [...to, 'compaction'] });
  translateMemory(translation, { from, to });
}

function translateCompaction(translation: Translation, { from, to }: AgentPlaces): void {
  const { copy, read, look, put } = translation;
  if (look(from) === undefined) return;
  for (const name of ['enabled', 'keepRecentTokens', 'keepRecentMessages']) copy([...from, name], [...to, name]);
  const at = [...from, 'maxActiveTranscriptBytes'];
  const bytes = read(at);
  put([...to, 'compactAtBytes'], typeof bytes === 'string' ? (parseByteSize(bytes) ?? bytes) : bytes, at);
  const model = [...from, 'model'];
  if (look(model) !== undefined) putModel(translation, { from: model, to: [...to, 'models'], isList: true });
}

/** The workspace and its notes. A workspace below ~/.openclaw is left alone: nothing is written there. */
function translateMemory(translation: Translation, { from, to }: AgentPlaces): void {
  const { copy, read, look, put, warn } = translation;
  const memory = [...to, 'memory'];
  const flush = [...from, 'compaction', 'memoryFlush'];
  const dir = read([...from, 'workspace']);
  const isTheirs = typeof dir === 'string' && /(^|[\\/])\.openclaw([\\/]|$)/.test(dir);
  if (isTheirs) {
    warn(
      [...from, 'workspace'],
      'lies in ~/.openclaw, where nothing is written: there is no memory until it has a copy.',
    );
  }
  if (dir === undefined || isTheirs) {
    if (look(flush) !== undefined) {
      read(flush);
      warn(flush, 'is not read: there is no workspace for its notes.');
    }
    return;
  }
  put([...memory, 'dir'], dir, [...from, 'workspace']);
  copy([...from, 'bootstrapMaxChars'], [...memory, 'fileChars']);
  copy([...from, 'bootstrapTotalMaxChars'], [...memory, 'totalChars']);
  for (const name of ['enabled', 'prompt']) copy([...flush, name], [...memory, 'flush', name]);
  if (look([...flush, 'model']) !== undefined) {
    putModel(translation, { from: [...flush, 'model'], to: [...memory, 'flush', 'model'] });
  }
}
