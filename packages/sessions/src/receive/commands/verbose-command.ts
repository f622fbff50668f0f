import type { CommandReply } from '@varve/core';
import { levelNamed, type VerboseLevel, verboseLevels } from '../../settings/setting-values.ts';
import { verboseLevelOf } from '../verbose-notice.ts';
import { ownerOnly } from './owner-only.ts';
import type { SessionCommand } from './session-commands.ts';
import { usageReply } from './unknown-command.ts';

const texts: Readonly<Record<VerboseLevel, string>> = {
  off: 'You are told the answers alone.',
  on: 'You are told when the conversation is compacted.',
  full: 'You are told when the conversation is compacted, and which tools are called.',
};

const usage = `/verbose [${verboseLevels.join('|')}|default]`;

/** Shows or says whether people are told what else happens, such as a compaction. */
export const verboseCommand: SessionCommand = {
  line: {
    command: usage,
    what: 'Shows or says whether you are told of compactions, and of tools that are called.',
  },
  run: async (session, { rest, sender, models }) => {
    const level = levelNamed(verboseLevels, rest);
    if (rest !== '' && rest.toLowerCase() !== 'default' && level === null) {
      return /\s/.test(rest) ? null : usageReply('verbose', usage);
    }
    if (rest !== '' && sender.role === 'unknown') return ownerOnly('say what is told here');
    if (rest !== '') await session.set('verbose', level);
    return replyWith(verboseLevelOf(session.view, models));
  },
};

function replyWith(verbose: VerboseLevel): CommandReply {
  return { text: texts[verbose], data: { verbose } };
}
