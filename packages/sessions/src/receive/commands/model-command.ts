import { type CommandReply, nameOfModel, type Session } from '@varve/core';
import { defaultChoiceOf, fullNameOf } from '../../settings/session-models.ts';
import { isKnownModel, knownModelsText, unknownModelReply } from '../known-models.ts';
import { ownerOnly } from './owner-only.ts';
import type { CommandRequest, SessionCommand } from './session-commands.ts';

/** Shows which model answers, or chooses another one. What was derived from the old one is kept by model, and stays there. */
export const modelCommand: SessionCommand = {
  line: { command: '/model [name|default]', what: 'Shows which model answers, or chooses another one.' },
  run: async (session, request) => {
    const { rest, models, sender } = request;
    // One word: a sentence that begins so is a message.
    if (/\s/.test(rest)) return null;
    if (rest === '' || models === null) return shown(session, request);
    if (sender.role !== 'owner') return ownerOnly('choose the model');
    if (rest.toLowerCase() === 'default') {
      if (isChosen(session)) await session.set('model', null);
      const { model } = defaultChoiceOf(session.view, models);
      return { text: `${model} answers from now on.`, data: { model, chosen: false } };
    }
    const model = fullNameOf(rest, models);
    if (!isKnownModel(model, { view: session.view, models })) return unknownModelReply(rest, models);
    await session.set('model', model);
    return { text: `${model} answers from now on.`, data: { model, chosen: true } };
  },
};

function shown(session: Session, { models, model }: CommandRequest): CommandReply {
  if (models === null) return { text: 'No model answers here: messages are stored.', data: { model: null } };
  const name = nameOfModel(model);
  const why = isChosen(session) ? 'chosen for this conversation' : 'the default';
  return {
    text: `${name} answers (${why}). ${knownModelsText(models)}`,
    data: { model: name, chosen: isChosen(session) },
  };
}

function isChosen({ view }: Session): boolean {
  return typeof view.settings['model'] === 'string';
}
