import { type CommandReply, definePlugin, type PluginFactory, type ResetRequest } from '@varve/core';
import { isAuthorised, isTrigger, readTriggerRest } from './read-trigger.ts';
import { optionsSchema, type ResetPolicyOptions, type ResolvedOptions } from './reset-policy-options.ts';
import { conversationTypeOf, resolvePolicy } from './resolve-policy.ts';
import { whyStale } from './stale.ts';

/**
 * Says when a conversation ends: at an hour of the day, after idle time, or when somebody who may writes a trigger. The
 * host ends it; the plugin keeps nothing.
 */
export const resetPolicy: PluginFactory<ResetPolicyOptions> = definePlugin<ResetPolicyOptions, ResolvedOptions>({
  name: 'reset-policy',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options: optionsSchema,
  apply({ hooks, listCommand }, options) {
    hooks.shouldReset.tapPromise('end what is stale', ({ record, inbound, now }) => {
      // A trigger ends the conversation itself; ending it before would begin two new ones.
      if (inbound !== null && isTrigger(inbound.text, options) && isAuthorised(inbound.sender, options)) return;
      const type = conversationTypeOf(record, inbound);
      if (type === null) return;
      const policy = resolvePolicy(options, { type, channel: record.channel ?? inbound?.channel ?? null });
      return whyStale(record, { policy, now }) ?? undefined;
    });
    const [first] = options.triggers;
    for (const trigger of options.triggers) {
      const what = trigger === first ? 'Begins a new conversation.' : `The same as ${first}.`;
      listCommand({ command: `${trigger} [model] [message]`, what });
    }
    hooks.command.tapPromise('answer triggers', ({ name, rest, sender, models }) => {
      // From anybody else it is a message like any other.
      if (!isTrigger(`/${name}`, options) || !isAuthorised(sender, options)) return;
      return answerTrigger(`/${name}`, rest, { ...options, models: { ...models, ...options.models } });
    });
  },
});

function answerTrigger(trigger: string, rest: string, options: ResolvedOptions): CommandReply {
  const read = readTriggerRest(rest, options);
  if ('unknownModel' in read) return unknownModelReply(trigger, read.unknownModel, options);
  const greeting = read.message === null ? options.greeting : null;
  const reset: ResetRequest = { reason: 'command', trigger, ...read, greeting };
  return { text: `A new conversation begins${read.model === null ? '' : ` with ${read.model}`}.`, data: { reset } };
}

function unknownModelReply(trigger: string, name: string, { models }: ResolvedOptions): CommandReply {
  const known = Object.entries(models).map(([alias, model]) => `${alias} (${model})`);
  const choice = known.length === 0 ? 'No model can be chosen here.' : `Known: ${known.join(', ')}.`;
  const text = `There is no model "${name}", so the conversation goes on. ${choice} If it was meant as a message, send ${trigger} alone first.`;
  return { text, data: { error: 'unknown-model', model: name, known: Object.values(models) } };
}
