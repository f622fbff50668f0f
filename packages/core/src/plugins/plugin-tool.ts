import type { z } from 'zod';
import type { ToolOutput } from '../message.ts';
import type { Milliseconds } from '../units.ts';
import type { HookContext } from './hook-context.ts';

/**
 * What a tool is handed beside its input. As with taps, it is revoked when the call is over or its deadline has passed:
 * every later use throws `VARVE_TAP_EXPIRED`. What was recorded is stored when the tool has succeeded.
 */
export interface ToolContext
  extends Pick<
    HookContext,
    'session' | 'signal' | 'deadline' | 'now' | 'countTokens' | 'readEntries' | 'getEntries' | 'record' | 'warn'
  > {
  /** Id of the call that is answered. */
  readonly toolCallId: string;
}

/** A tool that a plugin offers to the model. */
export interface PluginTool<Input> {
  /** Tells the model what the tool does, and when to use it. */
  readonly description: string;
  /** Schema of the input: an object that JSON Schema can describe. What does not match is told to the model. */
  readonly input: z.ZodType<Input>;
  /** How long one call may take. @default 120 000 */
  readonly deadlineMs?: Milliseconds | undefined;
  /**
   * The tool brings back what was said or noted before. Core marks its results when they are stored: pruning leaves them
   * alone, and no digest takes what they show for something new; see `isRecovered`. @default false
   */
  readonly recovers?: boolean | undefined;
  /**
   * Answers a call; a string is an output of the type `text`. What it throws becomes an output that says what failed,
   * so throw errors whose messages help a model to go on.
   */
  execute(input: Input, context: ToolContext): string | ToolOutput | Promise<string | ToolOutput>;
}

/** The tools of a plugin by their names: letters, digits, `_` and `-`, at most 64. */
export type PluginTools<Inputs> = { readonly [Name in keyof Inputs]: PluginTool<Inputs[Name]> };

/**
 * Gives a tool back as it is, with the type of its input taken from its schema. Needed where TypeScript cannot see that
 * by itself: in a `tools` that is a function of the options, and for tools with a file of their own.
 */
export function defineTool<Input>(tool: PluginTool<Input>): PluginTool<Input> {
  return tool;
}
