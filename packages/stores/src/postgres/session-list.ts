import { defaultSessions, mostSessions, type SessionQuery } from '@varve/core';
import type { PostgresStatement } from './postgres-pool.ts';
import { wantedText } from './search-text.ts';
import { storedName } from './stored-name.ts';

/** The statement of a page of records, last updated first, in columns `record`. */
export async function listStatement(sessions: string, query: SessionQuery): Promise<PostgresStatement> {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const equal = async (column: string, wanted: string | null | undefined): Promise<void> => {
    if (wanted === null) conditions.push(`${column} IS NULL`);
    else if (wanted !== undefined) conditions.push(`${column} = ${value(await storedName(wanted))}`);
  };
  await equal('agent_id', query.agentId);
  await equal('key', query.key);
  await equal('state', query.state);
  await equal('channel', query.channel);
  await equal('chat_type', query.chatType);
  await equal('parent_session_key', query.parentSessionKey);
  if (query.text !== undefined) conditions.push(`strpos(search, ${value(wantedText(query.text))}) > 0`);
  if (query.after !== undefined) {
    const { updatedAt, sessionId } = query.after;
    const [time, place, name] = [value(updatedAt), value(placeOf(sessionId)), value(await storedName(sessionId))];
    // The first part alone is what an index can begin at.
    conditions.push(`updated_at <= ${time} AND (updated_at < ${time} OR (place, session_id) > (${place}, ${name}))`);
  }
  const { limit = defaultSessions } = query;
  const most = Math.trunc(Math.max(0, Math.min(limit, mostSessions)));
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const text = `SELECT record FROM ${sessions}${where} ORDER BY updated_at DESC, place, session_id LIMIT ${most}`;
  return { text, values };
}

/** Letters by which ids of one time are sorted: an index holds no longer rows. */
const mostUnits = 250;

/** The beginning of an id as bytes that sort as its code units do, which is not how any collation sorts it. */
export function placeOf(sessionId: string): Uint8Array {
  const units = sessionId.slice(0, mostUnits);
  const bytes = new Uint8Array(units.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < units.length; index += 1) view.setUint16(index * 2, units.charCodeAt(index));
  return bytes;
}
