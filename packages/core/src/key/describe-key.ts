import type { SessionKey } from './session-key.ts';

/** A key in words, for people: `telegram, direct with 123`. The agent is named where it is not the main one. */
export function describeKey(key: SessionKey): string {
  if (key.kind === 'global') return 'everybody';
  const agent = key.agentId === 'main' ? '' : ` (${key.agentId})`;
  return `${wordsOf(key)}${agent}`;
}

function wordsOf(key: Exclude<SessionKey, { kind: 'global' }>): string {
  switch (key.kind) {
    case 'main':
      return 'main conversation';
    case 'person':
      return `direct with ${key.person}`;
    case 'direct': {
      const where = [key.channel, key.account].filter((part) => part !== undefined).join('/');
      return where === '' ? `direct with ${key.peer}` : `${where}, direct with ${key.peer}`;
    }
    case 'group':
    case 'channel': {
      const thread = key.thread === undefined ? '' : `, ${key.thread.kind} ${key.thread.id}`;
      return `${key.channel}, ${key.kind} ${key.peer}${thread}`;
    }
    case 'cron':
      return key.run === undefined ? `job ${key.job}` : `job ${key.job}, run ${key.run}`;
    case 'hook':
      return `hook ${key.id}`;
    case 'subagent':
      return `sub-agent ${key.id}`;
  }
}
