import { VarveError } from '../errors.ts';
import type { SessionRecord } from '../journal/session-record.ts';
import { parseKey } from './parse-key.ts';
import { agentOf, chatTypeOf, type SessionKey } from './session-key.ts';

/** What a key says of its session; nothing for one that is none of ours: a host may name sessions as it likes. */
export function namesOfKey(text: string | null): Partial<Pick<SessionRecord, 'agentId' | 'channel' | 'chatType'>> {
  const key = text === null ? null : tryParse(text);
  if (key === null) return {};
  const agentId = agentOf(key);
  const channel = 'channel' in key ? key.channel : undefined;
  return {
    ...(agentId === null ? {} : { agentId }),
    ...(channel === undefined ? {} : { channel }),
    chatType: chatTypeOf(key),
  };
}

function tryParse(text: string): SessionKey | null {
  try {
    return parseKey(text);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return null;
    throw error;
  }
}
