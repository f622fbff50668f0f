import type { CommandReply } from '@varve/core';
import { defaultsFor } from '../../settings/session-models.ts';
import { levelNamed, textOfSetting, thinkingLevels } from '../../settings/setting-values.ts';
import { ownerOnly } from './owner-only.ts';
import type { SessionCommand } from './session-commands.ts';
import { usageReply } from './unknown-command.ts';

const usage = `/think [${thinkingLevels.join('|')}|default]`;

/** Shows how hard the model thinks, or says how hard it is to. */
export const thinkCommand: SessionCommand = {
  line: { command: usage, what: 'Shows or says how much the model thinks.' },
  run: async (session, { rest, sender, models }) => {
    const level = levelNamed(thinkingLevels, rest);
    if (rest !== '' && rest.toLowerCase() !== 'default' && level === null) {
      return /\s/.test(rest) ? null : usageReply('think', usage);
    }
    if (rest !== '' && sender.role !== 'owner') return ownerOnly('say how much the model thinks');
    if (rest !== '') await session.set('thinking', level);
    const { thinking } = session.view.settings;
    return replyWith(textOfSetting(thinking) ?? textOfSetting(defaultsFor(session.view, models).thinking));
  },
};

function replyWith(level: string | null): CommandReply {
  const text = level === null ? 'The model thinks as much as it does by itself.' : `The model thinks: ${level}.`;
  return { text, data: { thinking: level } };
}
