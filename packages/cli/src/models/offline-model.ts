import { type AssistantMessage, type ModelPort, type ModelRequest, partsOfMessage, VarveError } from '@varve/core';
import { answerOffline } from './offline-answer.ts';

/** How the offline model is called in commands and in journals. */
export const offlineRef = { provider: 'offline', model: 'offline' } as const;

/**
 * A model without a network: it reads the prompt that it is given, and nothing else, and says what is in there. The same
 * prompt always gets the same answer. For people who want to see what a model would see.
 */
export const offlineModel: ModelPort = {
  ref: offlineRef,
  generate: async (request, { signal, onDelta } = {}) => {
    const message = messageFor(request);
    for (const part of partsOfMessage(message)) {
      if (part.type !== 'text') continue;
      for (const text of part.text.split(/(?<=\s)/)) {
        if (signal?.aborted === true) throw abortedError();
        onDelta?.({ type: 'text', text });
        await Promise.resolve();
      }
    }
    if (signal?.aborted === true) throw abortedError();
    return { message, usage: null };
  },
};

function messageFor({ prompt, tools = [] }: ModelRequest): AssistantMessage {
  const answer = answerOffline(prompt, tools);
  if (answer.kind === 'text') return { role: 'assistant', content: answer.text, stop: 'stop' };
  const { toolName, input } = answer;
  // A prompt has at most one call of each message, so that its place makes the id one of its own.
  const toolCallId = `offline-${prompt.messages.length}`;
  return {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId, toolName, input }],
    stop: 'tool-calls',
  };
}

function abortedError(): VarveError {
  return new VarveError('VARVE_ABORTED', 'The offline model was interrupted.', { fix: 'Ask again.' });
}
