import { definePlugin, type HookContext, type PluginFactory, readSendOverride } from '@varve/core';
import { decide } from './decide.ts';
import { createDenialLog } from './denial-log.ts';
import { readSendCommand, replyWith } from './send-command.ts';
import { optionsSchema, type Policy, type SendPolicyOptions } from './send-policy-options.ts';
import { uselessRules } from './useless-rules.ts';

/**
 * Decides what may leave a session: rules by channel, chat, person, time and more, over which the owner's `/send` goes.
 * What it cannot decide is denied.
 */
export const sendPolicy: PluginFactory<SendPolicyOptions> = definePlugin<SendPolicyOptions, Policy>({
  name: 'send-policy',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options: optionsSchema,
  apply({ hooks, listCommand }, policy) {
    const denials = createDenialLog();
    const warnOnce = createWarning(policy);
    hooks.deliver.tapPromise('decide what leaves', (decision, context) => {
      warnOnce(context);
      if (!decision.allow) return undefined;
      const { delivery } = decision;
      const now = context.now();
      const decided = decide(delivery, policy, { override: readSendOverride(context.session.settings['send']), now });
      if (decided.allow) return undefined;
      inCase(context, () => {
        const denial = denials.take(delivery, decided, now);
        if (denial !== null) context.record('denied', denial);
      });
      return { ...decision, ...decided };
    });
    listCommand({
      command: '/send [on|off|inherit] [for 2h]',
      what: 'Shows or says whether anything may leave this session.',
    });
    hooks.command.tapPromise('switch sending on and off', (command, context) => {
      const now = context.now();
      const request = readSendCommand(command, now);
      if (request === undefined) return undefined;
      warnOnce(context);
      if (request.kind === 'refused') return { text: request.text, data: { status: 'refused' } };
      if (request.kind === 'show') return replyWith(readSendOverride(context.session.settings['send']), now);
      return { ...replyWith(request.override, now), settings: { send: request.override } };
    });
  },
});

/** Tells of rules that decide nothing, the first time that somebody can be told. */
function createWarning(policy: Policy): (context: HookContext) => void {
  let left = uselessRules(policy);
  return (context) => {
    const texts = left;
    left = [];
    for (const text of texts) context.warn(text);
  };
}

/** What is denied stays denied, for its own reason, also where that cannot be recorded. */
function inCase(context: HookContext, record: () => void): void {
  try {
    record();
  } catch (error) {
    context.warn(`A denied delivery was not recorded: ${error instanceof Error ? error.message : 'it failed.'}`);
  }
}
