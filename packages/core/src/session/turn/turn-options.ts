import { z } from 'zod';
import type { TurnKind } from '../../journal/entry.ts';
import type { Message, Provenance } from '../../message.ts';
import type { ModelDelta, ModelPort } from '../../model-port.ts';
import type { ToolSet } from '../../tool.ts';
import { type CheckedMessage, checkMessage } from '../ingest.ts';
import { checkOptionNames, type OptionNames } from '../known-options.ts';
import { checkShape, modelSchema, signalSchema } from '../option-checks.ts';

/** What a turn is asked for. */
export interface TurnOptions {
  /** What begins the turn. Without it the turn answers what was ingested and has no answer yet. @default none */
  readonly message?: Message | undefined;
  /** Where the message came from. @default by role; `system-event` for a turn that no user began */
  readonly provenance?: Provenance | undefined;
  /** The host's own id of the message: one that is known is not stored again, and not answered again. */
  readonly key?: string | undefined;
  /** What began the turn. @default 'user' */
  readonly kind?: TurnKind | undefined;
  readonly model: ModelPort;
  /** Tools of the host, beside those of its plugins. @default none */
  readonly tools?: ToolSet | undefined;
  /** What the prompts are to answer, for plugins that look things up. @default the text of the message */
  readonly query?: string | undefined;
  /** Most answers of the model in this turn. @default 100 */
  readonly maxSteps?: number | undefined;
  /**
   * Called for each piece of an answer as it comes; its presence asks for streaming. What it throws is ignored.
   *
   * Without it nothing is streamed, and a turn that is aborted while the model answers keeps nothing of the answer.
   */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Ends the turn; what is stored by then stays. */
  readonly signal?: AbortSignal | undefined;
}

/** A turn's options, checked; what the caller does with its message now changes nothing. */
export interface CheckedTurn extends Omit<TurnOptions, 'message' | 'provenance' | 'key'> {
  readonly input: CheckedMessage | null;
  readonly kind: TurnKind;
  readonly maxSteps: number;
  readonly tools: ToolSet;
}

const names: OptionNames<TurnOptions> = {
  message: true,
  provenance: true,
  key: true,
  kind: true,
  model: true,
  tools: true,
  query: true,
  maxSteps: true,
  onDelta: true,
  signal: true,
};

const callable = z.custom<unknown>((value) => typeof value === 'function', { error: 'it is no function' });

const schema = z.object({
  kind: z.enum(['user', 'heartbeat', 'cron', 'hook', 'internal']).optional(),
  model: z.looseObject({ ref: modelSchema, generate: callable }),
  tools: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        description: z.string(),
        inputSchema: z.looseObject({}),
        deadlineMs: z.number().positive().optional(),
        execute: callable,
      }),
    )
    .optional(),
  query: z.string().optional(),
  maxSteps: z.int().positive().optional(),
  onDelta: callable.optional(),
  signal: signalSchema.optional(),
});

const defaultMaxSteps = 100;

/**
 * Checks the options of a turn, which may come from plain JavaScript.
 *
 * @throws VARVE_OPTION_INVALID, VARVE_MESSAGE_INVALID  with the path of what is wrong.
 */
export function checkTurn(options: TurnOptions): CheckedTurn {
  checkShape(options, { schema, fix: 'Give { message, model } with a port as the model, such as an adapter makes.' });
  checkOptionNames(options, { what: 'session.turn', names });
  const { message, provenance, key, kind = 'user', tools = [], maxSteps = defaultMaxSteps, ...rest } = options;
  const event = { kind: 'system-event' } as const;
  const origin = provenance ?? (kind === 'user' || message?.role !== 'user' ? undefined : event);
  const input = message === undefined ? null : checkMessage(message, { provenance: origin, key });
  return { ...rest, input, kind, maxSteps, tools };
}
