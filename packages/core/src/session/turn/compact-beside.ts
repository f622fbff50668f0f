import { messageOfError } from '../../errors.ts';
import { draftWithKnownLayers } from '../collect-layers.ts';
import { compactSession } from '../compact/compact.ts';
import { pressureOf } from '../start-draft.ts';
import { requestOf, type Turn } from './running-turn.ts';

/**
 * Begins a background compaction when the prompt has become large and a strategy may want one. Nobody waits for it: it
 * commits on top of what has come meanwhile, or is stale.
 */
export function compactBeside(turn: Turn): void {
  const { runtime, id, options } = turn;
  if (!runtime.hooks.isUsed('shouldCompact')) return;
  runtime.background.begin(
    async (signal) => {
      const request = { ...requestOf(turn), signal, turn: { id, kind: options.kind } };
      if (pressureOf(draftWithKnownLayers(runtime, request)) === 'none') return;
      await runtime.activity.during('a compaction', () => compactSession(runtime, 'background', request));
    },
    {
      onError: (error) =>
        runtime.events.emit('warning', { text: `A background compaction failed: ${messageOfError(error)}` }),
    },
  );
}
