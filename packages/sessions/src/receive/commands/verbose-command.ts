import type { CommandReply } from '@varve/core';
import { isVerbose } from '../verbose-notice.ts';
import { ownerOnly } from './owner-only.ts';
import type { SessionCommand } from './session-commands.ts';

/** Shows or says whether people are told what else happens, such as a compaction. */
export const verboseCommand: SessionCommand = {
  line: { command: '/verbose [on|off]', what: 'Shows or says whether you are told of compactions.' },
  run: async (session, { rest, sender }) => {
    const word = rest.toLowerCase();
    if (word !== '' && word !== 'on' && word !== 'off') return null;
    if (word === '') return replyWith(isVerbose(session.view));
    if (sender.role === 'unknown') return ownerOnly('say what is told here');
    await session.set('verbose', word === 'on');
    return replyWith(word === 'on');
  },
};

function replyWith(verbose: boolean): CommandReply {
  const text = verbose ? 'You are told when the conversation is compacted.' : 'You are not told of compactions.';
  return { text, data: { verbose } };
}
