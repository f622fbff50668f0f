import { type ModelRef, modelOfName, type Session } from '@varve/core';
import { type AnsweringModels, choiceOf } from '../settings/session-models.ts';

/** The model that a session's next prompt is for; one that nobody knows counts as it is named. */
export function modelOfSession({ view }: Session, models: AnsweringModels | null): ModelRef {
  if (models === null) return { provider: 'none', model: 'none' };
  const choice = choiceOf(view, models);
  const port = models.port(choice);
  if (port !== null) return port.ref;
  return modelOfName(choice.model) ?? { provider: 'unknown', model: choice.model };
}
