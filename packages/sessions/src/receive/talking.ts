import type { Clock, Host, ModelRef, Session, SessionView, ToolSet } from '@varve/core';
import { createEgress, type Egress } from '../egress/create-egress.ts';
import type { Outgoing } from '../egress/outgoing.ts';
import type { Generations } from '../generation/generations.ts';
import type { Lifecycle } from '../live/lifecycle.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { Routing } from '../route/routing.ts';
import type { AnsweringModels } from '../settings/session-models.ts';
import { type ConversationPressure, pressureOf } from './conversation-pressure.ts';
import { modelOfSession } from './model-of-session.ts';
import { createReceiving, type Receiving } from './receive.ts';
import { createTurnTaker, type TurnTaker } from './take-turn.ts';
import { createTurnSlots } from './turn-slots.ts';

/** What conversations are talked with. */
export interface TalkingParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly generations: Generations;
  readonly routing: Routing;
  readonly live: LiveSessions;
  readonly lifecycle: Pick<Lifecycle, 'reset'>;
  readonly models: AnsweringModels | undefined;
  readonly tools: ToolSet | ((about: SessionView) => ToolSet) | undefined;
  readonly send: ((outgoing: Outgoing) => void | Promise<void>) | undefined;
  readonly maxConcurrentTurns: number | undefined;
  /** Tools that conversations themselves offer to a session. */
  ownTools(session: Session): ToolSet;
}

/** How messages come in, are answered, and leave. */
export interface Talking extends Receiving {
  readonly egress: Egress;
  readonly turns: TurnTaker;
  /** How large the next prompt of a conversation would be; `null` where there is none, and none is begun for it. */
  pressure(keyText: string): Promise<ConversationPressure | null>;
}

/** Puts it together. */
export function createTalking(parts: TalkingParts): Talking {
  const { host, tools = [], ownTools } = parts;
  const models = parts.models ?? null;
  const toolsFor = (session: Session): ToolSet => [
    ...(typeof tools === 'function' ? tools(session.view) : tools),
    ...ownTools(session),
  ];
  const egress = createEgress({ clock: parts.clock, send: parts.send });
  const turns = createTurnTaker({ models, toolsFor, slots: createTurnSlots(host, parts.maxConcurrentTurns) });
  const modelOf = (session: Session): ModelRef => modelOfSession(session, models);
  const { live, generations } = parts;
  const pressure = async (keyText: string): Promise<ConversationPressure | null> => {
    const isThere = live.awake(keyText) !== null || (await generations.current(keyText)) !== null;
    return isThere ? live.join(keyText, async (session) => pressureOf(session, { modelOf, toolsFor })) : null;
  };
  return { egress, turns, pressure, ...createReceiving({ ...parts, models, toolsFor, egress, turns }) };
}
