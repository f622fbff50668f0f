import { VarveError } from '@varve/core';
import { z } from 'zod';
import type { ConversationOptions } from './conversations.ts';

/** Options of the extension. */
export interface PiOptions extends ConversationOptions {
  /**
   * Who shortens a conversation that has become too long: `varve`, by its plugins, and pi is given their summary where it
   * asks; or `pi`, with its model, and the journal follows what pi makes of its list.
   *
   * @default 'varve'
   */
  readonly compaction?: 'varve' | 'pi' | undefined;
  /** Name of the command for users; `null` for none. @default 'varve' */
  readonly command?: string | null | undefined;
  /** Whether the model is offered the tools of plugins. @default true */
  readonly tools?: boolean | undefined;
}

const schema = z.strictObject({
  root: z.string().min(1).optional(),
  plugins: z.array(z.unknown()).optional(),
  budget: z.looseObject({}).optional(),
  compaction: z.enum(['varve', 'pi']).optional(),
  command: z.string().min(1).nullish(),
  tools: z.boolean().optional(),
});

/** Checks options, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkOptions(options: PiOptions): void {
  const { error } = schema.safeParse(options);
  if (error === undefined) return;
  const issues = error.issues.map(({ path, message }) => `${path.map(String).join('.') || '(root)'}: ${message}`);
  throw new VarveError('VARVE_OPTION_INVALID', `Options of the extension of pi: ${issues.join('; ')}.`, {
    fix: 'Give { root, plugins, budget, compaction, command, tools } as the type PiOptions describes them.',
    details: { issues },
  });
}
