import { claudeCodeReader, isClaudeCodeLine } from './claude-code.ts';
import { isSideChainFile } from './claude-code-side-chain.ts';
import type { FormatReader } from './format-reader.ts';
import type { JsonObject } from './json-guards.ts';
import { isOpenAiConversation, isOpenAiMessage, openAiReader } from './openai-messages.ts';
import { isPiLine, piReader } from './pi.ts';
import type { SourceOptions } from './source-lines.ts';
import type { TranscriptFormat } from './transcript-record.ts';

/** One kind of JSON Lines that can be read. */
export interface LineFormat {
  readonly id: TranscriptFormat;
  /** How many conversations a file has; `many` gives one `item` record for each itself. */
  readonly items: 'one' | 'many';
  /** True for a line that no other kind of file has. */
  recognises(value: JsonObject): boolean;
  reader(path: string, options: SourceOptions): Promise<FormatReader>;
}

/** Every kind, in the order in which they are asked. */
export const lineFormats: readonly LineFormat[] = [
  { id: 'pi', items: 'one', recognises: isPiLine, reader: async () => piReader() },
  {
    id: 'claude-code',
    items: 'one',
    recognises: isClaudeCodeLine,
    reader: async (path, options) => claudeCodeReader({ sideChain: await isSideChainFile(path, options) }),
  },
  { id: 'openai-messages', items: 'many', recognises: isOpenAiConversation, reader: async () => openAiReader() },
  { id: 'openai-messages', items: 'one', recognises: isOpenAiMessage, reader: async () => openAiReader() },
];
