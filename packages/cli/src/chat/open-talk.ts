import { jsonlStore } from '@varve/stores/jsonl';
import {
  type OpenConversations,
  type OpenConversationsOptions,
  openConversations,
} from '../conversations/open-conversations.ts';
import type { Talk } from './talk-of-key.ts';

/** What a chat is opened with. */
export interface OpenTalkOptions
  extends Pick<OpenConversationsOptions, 'root' | 'config' | 'model' | 'budget' | 'env' | 'announce'> {
  readonly talk: Talk;
}

/** The conversations of a root, open for writing, and the one that is spoken with. */
export interface OpenTalk extends OpenConversations {
  /** Its key. */
  readonly keyText: string;
}

/**
 * Opens the conversations of a root. Nothing is locked yet.
 *
 * @throws VARVE_USAGE  for a model that cannot be asked; and what the plugins say of their options.
 */
export async function openTalk({ talk, ...options }: OpenTalkOptions): Promise<OpenTalk> {
  const { agentId, place, routing } = talk;
  const store = jsonlStore({ root: options.root });
  // The conversation was chosen by who talks, and not by where a channel's messages belong.
  const open = await openConversations({ ...options, store, routing, about: { agentId, channel: place.channel } });
  const { keyText } = open.sessions.route({
    ...place,
    messageId: 'none',
    sender: { id: 'terminal', role: 'owner' },
    addressed: 'any',
    text: '',
  });
  return { ...open, keyText };
}
