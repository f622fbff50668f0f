import type { SessionRecord } from '@varve/core';
import { type ConversationKind, conversationKinds, type GenerationState, type SessionFilter } from '@varve/sessions';
import { type Command, Option } from 'commander';
import { parseMoment } from '../terminal/parse-moment.ts';
import { parseTokens } from '../terminal/parse-options.ts';

/** The options that say which sessions are meant. */
export interface FilterFlags {
  readonly agent?: string;
  readonly kind?: ConversationKind;
  readonly channel?: string;
  readonly chatType?: NonNullable<SessionRecord['chatType']>;
  readonly peer?: string;
  readonly identity?: string;
  readonly parent?: string;
  readonly label?: string;
  readonly state?: SessionRecord['state'];
  readonly generation?: GenerationState;
  readonly since?: number;
  readonly until?: number;
  readonly tokensOver?: number;
  readonly text?: string;
}

/** Adds the options that say which sessions are meant. */
export function addFilterOptions(command: Command): Command {
  return command
    .option('--agent <id>', 'only sessions of this agent')
    .addOption(new Option('--kind <kind>', 'only conversations of this kind').choices(conversationKinds))
    .option('--channel <name>', 'only of this channel')
    .addOption(new Option('--chat-type <type>', 'only of this type').choices(['direct', 'group', 'channel']))
    .option('--peer <name>', 'only with this peer, job, hook or sub-agent')
    .option('--identity <name>', 'only with this person')
    .option('--parent <key>', 'only what this conversation began: its sub-agents')
    .option('--label <label>', 'only with this label')
    .addOption(new Option('--state <state>', 'only sessions in this state').choices(['open', 'archived']))
    .addOption(
      new Option('--generation <which>', 'only current, or only earlier, generations').choices([
        ...(['current', 'earlier', 'none'] as const),
      ]),
    )
    .option('--since <when>', 'only those updated since: a day, or an age such as 7d', parseMoment)
    .option('--until <when>', 'only those not updated since: a day, or an age such as 30d', parseMoment)
    .option('--tokens-over <tokens>', 'only those whose last prompt was larger', parseTokens)
    .option('--text <text>', 'only sessions with this in their id, key or name');
}

/** The filter that the options stand for. */
export function filterOf(flags: FilterFlags): SessionFilter {
  const { agent, parent, since, until, tokensOver } = flags;
  const { kind, channel, chatType, peer, identity, label, state, generation, text } = flags;
  const wanted: SessionFilter = {
    ...{ kind, channel, chatType, peer, identity, label, state, generation, text },
    ...{ agentId: agent, parentSessionKey: parent, updatedAfter: since, updatedBefore: until, tokensOver },
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** Whether any of them was given. */
export function hasFilter(flags: FilterFlags): boolean {
  return Object.keys(filterOf(flags)).length > 0;
}
