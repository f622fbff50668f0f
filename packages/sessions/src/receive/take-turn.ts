import {
  type ModelDelta,
  type ModelPort,
  nameOfModel,
  type Session,
  type ToolSet,
  type TurnOptions,
  type TurnRecord,
} from '@varve/core';
import { type AnsweringModels, choiceOf, defaultPortOf } from '../settings/session-models.ts';
import type { TurnSlots } from './turn-slots.ts';

/** What turns are taken with. */
export interface TurnTakerParts {
  /** `null` where nobody answers. */
  readonly models: AnsweringModels | null;
  readonly slots: TurnSlots;
  /** The tools of a session beside those of plugins. */
  toolsFor(session: Session): ToolSet;
}

/** What a turn is asked for beside the model and the tools, which are those of the session. */
export interface SessionTurn extends Pick<TurnOptions, 'message' | 'provenance' | 'key' | 'kind' | 'query' | 'signal'> {
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Awaited before the model is asked for the first time; not called when nothing is left to answer. */
  readonly onBegin?: (() => Promise<void>) | undefined;
}

/** A turn that was taken, and what people should know about it. */
interface TakenTurn {
  readonly turn: TurnRecord;
  readonly notices: readonly string[];
}

/** Takes turns of sessions with the model that each has chosen. Called within a `use` of the session's key. */
export interface TurnTaker {
  /** Whether anybody answers at all. */
  readonly answers: boolean;
  /** @throws VARVE_OPTION_INVALID  when there is no model; and what `session.turn` throws. */
  take(session: Session, turn: SessionTurn): Promise<TakenTurn>;
}

/** Makes what takes turns. */
export function createTurnTaker({ models, slots, toolsFor }: TurnTakerParts): TurnTaker {
  return {
    answers: models !== null,
    take: (session, { onBegin, ...options }) =>
      slots.run(session, async () => {
        const { port, notices } = chosenPort(session, models);
        const model = onBegin === undefined ? port : beginningPort(port, onBegin);
        const turn = await session.turn({ ...options, model, tools: toolsFor(session) });
        return { turn, notices };
      }),
  };
}

/** The port of the session's choice; where that is not there any more, the default one, and a word about it. */
function chosenPort(
  { view }: Session,
  models: AnsweringModels | null,
): { readonly port: ModelPort; readonly notices: readonly string[] } {
  const choice = models === null ? null : choiceOf(view, models);
  const port = choice === null ? null : (models?.port(choice) ?? null);
  if (port !== null) return { port, notices: [] };
  const byDefault = defaultPortOf(view, models ?? nobody);
  return {
    port: byDefault,
    notices: [`The model ${choice?.model} is not there any more; ${nameOfModel(byDefault.ref)} answers.`],
  };
}

const nobody: AnsweringModels = { defaultModel: 'none/none', port: () => null };

/** The same model, which is begun once before it is asked. */
function beginningPort(port: ModelPort, onBegin: () => Promise<void>): ModelPort {
  let begun: Promise<void> | null = null;
  return {
    ref: port.ref,
    generate: async (request, options) => {
      begun ??= onBegin();
      await begun;
      return port.generate(request, options);
    },
  };
}
