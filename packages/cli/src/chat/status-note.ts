import { nameOfModel } from '@varve/core';
import { longNumber, shortNumber } from '../terminal/format-number.ts';
import type { ChatNote } from './chat-view.ts';
import { offlineRef } from './offline-model.ts';
import type { OpenTalk } from './open-talk.ts';

const barCells = 10;

/** How full the next prompt is, and who answers: the line behind each answer. */
export async function statusNote({ sessions, keyText, models }: OpenTalk): Promise<ChatNote> {
  return sessions.use(keyText, async (session) => {
    const model = models.modelOf(session.view);
    const { tokens, budget, level } = session.pressure({ model });
    const { input } = budget;
    const isLimited = Number.isFinite(input);
    const size = isLimited
      ? `${longNumber(tokens)} of ${shortNumber(input)} tokens ${bar(tokens / input)}`
      : `${longNumber(tokens)} tokens`;
    const text = `${model.provider === offlineRef.provider ? offlineRef.provider : nameOfModel(model)} · ${size} · ${session.sessionId.slice(0, 8)}`;
    const { sessionId } = session;
    return {
      type: 'status',
      text,
      model: nameOfModel(model),
      tokens,
      budget: isLimited ? input : null,
      level,
      sessionId,
    };
  });
}

function bar(share: number): string {
  const full = Math.min(barCells, Math.round(share * barCells));
  return `${'▮'.repeat(full)}${'▯'.repeat(barCells - full)}`;
}
