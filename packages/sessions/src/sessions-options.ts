import { type Host, type SessionView, type ToolSet, VarveError } from '@varve/core';
import { z } from 'zod';
import type { Outgoing } from './egress/outgoing.ts';
import type { LiveOptions } from './live/live-sessions.ts';
import type { RoutingOptions } from './route/routing.ts';
import type { CarryOverOptions } from './settings/carry-over.ts';
import type { DefaultsOf } from './settings/session-defaults.ts';
import type { SessionModels } from './settings/session-models.ts';
import type { SubagentOptions } from './subagent/subagent-options.ts';

/** How conversations are made. All but the host has a default. */
export interface SessionsOptions {
  /** Keeps the journals. It stays its maker's: closing the conversations does not close it. */
  readonly host: Host;
  /** Makes session ids: UUIDs. @default crypto.randomUUID */
  readonly randomId?: (() => string) | undefined;
  /** Where messages belong. @default one conversation for all direct chats, one for each room */
  readonly routing?: RoutingOptions | undefined;
  /** Who answers. @default nobody: messages are stored */
  readonly models?: SessionModels | undefined;
  /** What conversations have that chose nothing, where that differs between them. @default the default model, in its own way */
  readonly defaults?: DefaultsOf | undefined;
  /** Tools that turns get beside those of plugins. @default none */
  readonly tools?: ToolSet | ((about: SessionView) => ToolSet) | undefined;
  /**
   * Carries out what leaves a conversation, once the policies have allowed it. Called one after the other for the answers
   * of a conversation; a sign of life is not waited for. @default what leaves is told in the result of `receive` alone
   */
  readonly send?: ((outgoing: Outgoing) => void | Promise<void>) | undefined;
  /** How many conversations are awake at once. */
  readonly live?: LiveOptions | undefined;
  /** What of a generation goes into the next one. */
  readonly carryOver?: CarryOverOptions | undefined;
  /** How sub-agents are begun, bounded and brought home. */
  readonly subagents?: SubagentOptions | undefined;
  /** Turns that run at once, across conversations. @default no limit */
  readonly maxConcurrentTurns?: number | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const callable = z.custom(isFunction, { error: 'it is no function' });
const atLeast = (least: number): z.ZodType =>
  z.custom((value) => typeof value === 'number' && value >= least, { error: `it must be a number from ${least}` });
const rules = z.record(z.string(), z.enum(['always', 'explicit', 'implicit', 'never']));

const schema: z.ZodType = z.strictObject({
  host: z.looseObject({
    open: callable,
    clock: z.looseObject({ now: callable, after: callable }),
    sessions: z.looseObject({ list: callable }),
  }),
  randomId: callable.optional(),
  // Has checks of its own.
  routing: z.unknown().optional(),
  models: z
    .looseObject({
      defaultModel: z.string().min(1),
      names: z.record(z.string(), z.string().min(1)).optional(),
      port: callable,
    })
    .optional(),
  defaults: callable.optional(),
  tools: z.union([z.array(z.unknown()), callable]).optional(),
  send: callable.optional(),
  live: z
    .strictObject({
      maxSessions: atLeast(1).optional(),
      maxBytes: atLeast(0).optional(),
      idleMs: atLeast(0).optional(),
    })
    .optional(),
  carryOver: z.strictObject({ settings: rules.optional(), state: rules.optional() }).optional(),
  // Has checks of its own.
  subagents: z.unknown().optional(),
  maxConcurrentTurns: atLeast(1).optional(),
} satisfies Record<keyof SessionsOptions, z.ZodType>);

/** Checks what conversations are made with, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkSessionsOptions(options: SessionsOptions): SessionsOptions {
  const [issue] = schema.safeParse(options).error?.issues ?? [];
  if (issue === undefined) return options;
  const path = issue.path.map(String).join('.');
  const where = path === '' ? '' : ` at ${path}`;
  throw new VarveError('VARVE_OPTION_INVALID', `createSessions cannot use the options${where}: ${issue.message}.`, {
    fix: 'Give what the type SessionsOptions describes, or leave the option out.',
    details: { path },
  });
}
