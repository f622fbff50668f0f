import type { JsonValue, ModelRef, Session, SessionPressure, ToolSet } from '@varve/core';

/** How large the next prompt of a conversation would be, for the model that would answer. */
export interface ConversationPressure extends SessionPressure {
  readonly model: ModelRef;
  /** The generation that it is of. */
  readonly sessionId: string;
}

/** Where the model and the tools of a session come from. */
export interface PressureParts {
  modelOf(session: Session): ModelRef;
  /** The tools of a session beside those of plugins. */
  toolsFor(session: Session): ToolSet;
}

/** Counts what a turn of the session would send, as `/status` does. */
export function pressureOf(session: Session, { modelOf, toolsFor }: PressureParts): ConversationPressure {
  const model = modelOf(session);
  const definitions = toolsFor(session).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const tools = definitions as unknown as readonly JsonValue[];
  return { ...session.pressure({ model, tools }), model, sessionId: session.sessionId };
}
