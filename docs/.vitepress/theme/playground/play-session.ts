import {
  createHost,
  type Milliseconds,
  type Plugin,
  type Prompt,
  type Tokens,
  tableCounter,
  VarveError,
} from '@varve/core';
import { recall } from '@varve/plugin-recall';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { makeRequest } from '../../../../packages/cli/src/replay/make-request.ts';
import { createReplayClock } from '../../../../packages/cli/src/replay/replay-clock.ts';
import { createRequestRecorder } from '../../../../packages/cli/src/replay/request-recorder.ts';
import type { RequestRow } from '../../../../packages/cli/src/replay/request-row.ts';
import type { SampleMessage } from './sample-message.ts';

/** The plugins that can be switched on and off, in the order in which they act. */
export const pluginNames = ['pruning', 'compaction', 'recall'] as const;

export type PluginName = (typeof pluginNames)[number];

/** What the sliders say. */
export interface PlaySettings {
  readonly budgetTokens: Tokens;
  /** How long the provider keeps what it has cached. */
  readonly cacheTtl: '5m' | '1h';
  /** Time that passes before each message of the user, beside what was recorded. */
  readonly pauseMs: Milliseconds;
  readonly plugins: ReadonlySet<PluginName>;
}

/** One request, measured, and why each entry is in it or not. */
export interface PlayedRequest {
  readonly row: RequestRow;
  /** `null` when the request could not be made. */
  readonly manifest: Prompt['manifest'] | null;
}

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };

/**
 * Puts the transcript through a real session, in this page: before each answer the request is made that Varve would have
 * sent. Gives one after the other, so that the page stays alive, and ends when the signal is aborted.
 */
export async function* playSession(
  messages: readonly SampleMessage[],
  { settings, signal }: { readonly settings: PlaySettings; readonly signal: AbortSignal },
): AsyncGenerator<PlayedRequest, void> {
  const { budgetTokens, cacheTtl, pauseMs } = settings;
  const clock = createReplayClock();
  const host = await createHost({ clock, plugins: pluginsOf(settings), budget: { inputTokens: budgetTokens } });
  const session = await host.open('playground');
  const recorder = createRequestRecorder({ systemTokens: 0, budgetTokens, cacheTtl, counter: tableCounter, hash });
  let [pausedMs, entries, turn] = [0, 0, 0];
  try {
    for (const { message, key, at, isAnswer } of messages) {
      if (message.role === 'user') pausedMs += pauseMs;
      clock.moveTo(at + pausedMs);
      if (isAnswer) {
        turn += 1;
        const { result } = await makeRequest(session, { model, signal });
        const { row } = recorder.record({ turn, item: undefined, key, at: clock.now(), model, entries, result });
        yield { row, manifest: VarveError.is(result) ? null : result.manifest };
      }
      recorder.noteEntry(await session.ingest(message, { key, signal }));
      entries += 1;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await host.close();
  }
}

/** 64 bits of FNV-1a over the units of a text: enough to tell the prompts of one session apart. */
function hash(text: string): string {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x85ebca6b);
  }
  return `${low >>> 0}.${high >>> 0}`;
}

function pluginsOf({ plugins, cacheTtl }: PlaySettings): readonly Plugin[] {
  const makers: Readonly<Record<PluginName, () => Plugin>> = {
    pruning: () => ttlPruning({ mode: 'auto', prices: `anthropic-${cacheTtl}` }),
    compaction: () => summaryCompaction(),
    recall: () => recall(),
  };
  return pluginNames.filter((name) => plugins.has(name)).map((name) => makers[name]());
}
