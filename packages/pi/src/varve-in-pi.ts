import type { PiMessage } from '@varve/adapters/pi';
import { VarveError } from '@varve/core';
import { z } from 'zod';
import type { PiCompactEvent } from './compact-for-pi.ts';
import type { ConversationOptions } from './conversations.ts';
import { createExtension } from './extension.ts';
import type { PiApi } from './pi-api.ts';

/** Options of {@link varveInPi}. */
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

/**
 * Makes the extension: what pi is told goes into a journal, and before each call of the model pi gets the messages of the
 * prompt that is made of it. What fails is thrown to pi, which tells the user, and goes on with its own messages.
 *
 * @throws VARVE_OPTION_INVALID  for an option that does not exist, or a value that makes no sense.
 */
export function varveInPi(options: PiOptions = {}): (pi: PiApi) => void {
  const { error } = schema.safeParse(options);
  if (error !== undefined) {
    const issues = error.issues.map(({ path, message }) => `${path.map(String).join('.') || '(root)'}: ${message}`);
    throw new VarveError('VARVE_OPTION_INVALID', `Options of the extension of pi: ${issues.join('; ')}.`, {
      fix: 'Give { root, plugins, budget, compaction, command, tools } as the type PiOptions describes them.',
      details: { issues },
    });
  }
  return (pi) => {
    const extension = createExtension(pi, options);
    pi.on('session_start', (_: never, context) => extension.begin(context));
    pi.on('session_tree', (_: never, context) => extension.catchUp(context));
    pi.on('before_agent_start', (event: { readonly systemPrompt: string }, context) =>
      extension.extendSystem(event.systemPrompt, context),
    );
    pi.on('context', (event: { readonly messages: readonly PiMessage[] }, context) =>
      extension.assemble(event.messages, context),
    );
    pi.on('agent_end', (_: never, context) => extension.catchUp(context));
    pi.on('session_before_compact', (event: PiCompactEvent, context) => extension.compact(event, context));
    pi.on('session_shutdown', () => extension.end());
    const { command = 'varve' } = options;
    if (command === null) return;
    pi.registerCommand?.(command, {
      description: 'What Varve keeps of this conversation: status, context, compact, why',
      handler: (words, context) => extension.answer(words, context),
    });
  };
}
