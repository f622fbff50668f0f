import { nameOfModel } from '@varve/core';
import { offlineRef } from '../models/offline-model.ts';
import { longNumber, shortNumber } from '../terminal/format-number.ts';
import type { ChatNote } from './chat-view.ts';
import type { OpenTalk } from './open-talk.ts';

const barCells = 10;

/** How full the next prompt is, as `/status` counts it, and who answers: the line behind each answer. */
export async function statusNote({
  sessions,
  keyText,
}: Pick<OpenTalk, 'sessions' | 'keyText'>): Promise<ChatNote | null> {
  const pressure = await sessions.pressure(keyText);
  if (pressure === null) return null;
  const { model, sessionId, tokens, budget, level } = pressure;
  const { input } = budget;
  const isLimited = Number.isFinite(input);
  const size = isLimited
    ? `${longNumber(tokens)} of ${shortNumber(input)} tokens ${bar(tokens / input)}`
    : `${longNumber(tokens)} tokens`;
  const name = model.provider === offlineRef.provider ? offlineRef.provider : nameOfModel(model);
  const text = `${name} · ${size} · ${sessionId.slice(0, 8)}`;
  return {
    type: 'status',
    text,
    model: nameOfModel(model),
    tokens,
    budget: isLimited ? input : null,
    level,
    sessionId,
  };
}

function bar(share: number): string {
  const full = Math.min(barCells, Math.round(share * barCells));
  return `${'▮'.repeat(full)}${'▯'.repeat(barCells - full)}`;
}
