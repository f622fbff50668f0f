import type { PiMessage } from '@varve/adapters/pi';
import type { PiCompactEvent } from './compact-for-pi.ts';
import { createExtension } from './extension.ts';
import type { PiApi } from './pi-api.ts';
import { checkOptions, type PiOptions } from './pi-options.ts';

/**
 * Makes the extension: what pi is told goes into a journal, and before each call of the model pi gets the messages of the
 * prompt that is made of it. What fails is thrown to pi, which tells the user, and goes on with its own messages.
 *
 * @throws VARVE_OPTION_INVALID  for an option that does not exist, or a value that makes no sense.
 */
export function varveInPi(options: PiOptions = {}): (pi: PiApi) => void {
  checkOptions(options);
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
