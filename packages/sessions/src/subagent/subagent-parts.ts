import type { Clock, Host } from '@varve/core';
import type { Egress } from '../egress/create-egress.ts';
import type { GenerationParts } from '../generation/begin-generation.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { Receiving } from '../receive/receive.ts';
import type { TurnTaker } from '../receive/take-turn.ts';
import type { AnsweringModels } from '../settings/session-models.ts';
import type { Children } from './children.ts';
import type { SubagentOptions, SubagentRules } from './subagent-options.ts';

/** What sub-agents are made with. */
export interface SubagentParts extends GenerationParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly live: LiveSessions;
  readonly egress: Egress;
  /** `null` where nobody answers: no sub-agent begins then. */
  readonly models: AnsweringModels | null;
  readonly options: SubagentOptions | undefined;
  /** Answers with the model and the tools of a session. */
  readonly turns: TurnTaker;
  readonly sayUnasked: Receiving['sayUnasked'];
}

/** What the parts of sub-agents share. */
export interface SubagentWorld extends SubagentParts {
  readonly rules: SubagentRules;
  readonly children: Children;
  /** Aborted when the sessions are closed. */
  readonly closing: AbortSignal;
}
