import type { JsonValue } from '@varve/core';
import { ownerOnly } from './owner-only.ts';
import type { SessionCommand } from './session-commands.ts';

const levels: readonly string[] = ['off', 'low', 'medium', 'high'];

/** Shows how hard the model thinks, or says how hard it is to. */
export const thinkCommand: SessionCommand = {
  line: { command: '/think [off|low|medium|high|default]', what: 'Shows or says how much the model thinks.' },
  run: async (session, { rest, sender }) => {
    const word = rest.toLowerCase();
    if (word !== '' && word !== 'default' && !levels.includes(word)) return null;
    if (word === '') return replyWith(session.view.settings['thinking']);
    if (sender.role !== 'owner') return ownerOnly('say how much the model thinks');
    const thinking = word === 'default' ? null : word;
    await session.set('thinking', thinking);
    return replyWith(thinking);
  },
};

function replyWith(thinking: JsonValue | undefined): { readonly text: string; readonly data: JsonValue } {
  const level = typeof thinking === 'string' ? thinking : null;
  const text = level === null ? 'The model thinks as much as it does by itself.' : `The model thinks: ${level}.`;
  return { text, data: { thinking: level } };
}
