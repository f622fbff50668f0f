import type { ModelPort, ModelRef, SessionView, Tokens, TurnKind } from '@varve/core';
import { isTimeZone } from '@varve/plugin-workspace-layers';
import { z } from 'zod';

/** Chooses the model that writes the notes of a session; `null` for none. `model` is the one that it talks to. */
export type ChooseModel = (session: SessionView, model: ModelRef | null) => ModelPort | null;

/** Who writes notes before a compaction, and where. */
export interface MemoryFlushOptions {
  /** The workspace: notes go to `memory/YYYY-MM-DD.md` in it. Need not be there yet. */
  readonly dir: string;
  /** Writes the notes; `null`: they are taken from the digest, without a model. @default null */
  readonly model?: ModelPort | ChooseModel | null | undefined;
  /** What the model is asked to write down, to which how it is to answer is added; `null`: the plugin's own. @default null */
  readonly prompt?: string | null | undefined;
  /** Tokens of transcript that the model is given at once; what is longer is given in parts. @default 60 000 */
  readonly inputTokens?: Tokens | undefined;
  /** Zone in which a day of notes begins and ends; `null`: the machine's own. @default null */
  readonly timeZone?: string | null | undefined;
  /** Kinds of turns before whose compactions nothing is saved. @default ['heartbeat', 'cron'] */
  readonly skipKinds?: readonly TurnKind[] | undefined;
  /** Identities and sender ids of the owner; `null`: whoever has a direct chat is the owner. @default null */
  readonly owners?: readonly string[] | null | undefined;
}

/** The options with their defaults. */
export type SettledOptions = {
  readonly [Name in keyof MemoryFlushOptions]-?: Exclude<MemoryFlushOptions[Name], undefined>;
};

/** No object schema: those make copies, and a copy of an instance has no methods. */
const modelSchema: z.ZodType<ModelPort | ChooseModel, ModelPort | ChooseModel> = z
  .unknown()
  .meta({ type: 'object' })
  .refine(isModel, 'Must be a model port, or a function that gives one') as never;

function isModel(given: unknown): boolean {
  if (typeof given === 'function') return true;
  if (typeof given !== 'object' || given === null) return false;
  const { ref, generate } = given as Partial<ModelPort>;
  return typeof generate === 'function' && typeof ref?.provider === 'string' && typeof ref.model === 'string';
}

/** Schema of the options. */
export const flushOptions: z.ZodType<SettledOptions, MemoryFlushOptions> = z.strictObject({
  dir: z.string().min(1).describe('The workspace: notes go to memory/YYYY-MM-DD.md in it.'),
  model: modelSchema.nullable().default(null).describe('Writes the notes; without, they are taken from the digest.'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .nullable()
    .default(null)
    .describe("What the model is asked to write down; without, the plugin's own."),
  inputTokens: z.int().min(1_000).default(60_000).describe('Tokens of transcript that the model is given at once.'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'Must be a time zone such as "Europe/Berlin"')
    .nullable()
    .default(null)
    .describe("Zone in which a day of notes begins and ends; without, the machine's own."),
  skipKinds: z
    .array(z.enum(['user', 'heartbeat', 'cron', 'hook', 'internal']))
    .default(['heartbeat', 'cron'])
    .describe('Kinds of turns before whose compactions nothing is saved.'),
  owners: z
    .array(z.string().min(1))
    .nullable()
    .default(null)
    .describe('Identities and sender ids of the owner; without, whoever has a direct chat is the owner.'),
});
