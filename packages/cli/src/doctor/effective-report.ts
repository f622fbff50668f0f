import { existsSync } from 'node:fs';
import { canonicalKey, formatKey, type JsonValue, type SessionKey, VarveError } from '@varve/core';
import { type EffectiveConfig, effectiveConfig } from '@varve/sessions/config';
import { jsonlStore } from '@varve/stores/jsonl';
import type { OpenedConfig } from '../config/open-config.ts';
import { openJournal } from '../store/open-journal.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { printableText } from '../terminal/printable-text.ts';
import { unroutedNote } from './unrouted-note.ts';

/** What holds for one conversation, and where each value comes from. */
export interface EffectiveReport extends EffectiveConfig {
  /** The key as it was given. */
  readonly for: string;
  /** The configuration; `null` for none. */
  readonly file: string | null;
  /** Why no message gets that key; `null` where some may. */
  readonly note: string | null;
}

/**
 * What holds for the conversation of a key: by the configuration, and by the session's own settings, where the store has
 * one of that key.
 *
 * @throws VARVE_KEY_INVALID
 */
export async function effectiveFor(text: string, { loaded, root }: OpenedConfig): Promise<EffectiveReport> {
  const key = canonicalKey(text);
  const { settings, channel } = await currentOf(formatKey(key), root);
  const agentId = 'agentId' in key ? key.agentId : undefined;
  const about = { agentId, channel: channel ?? channelOf(key), type: typeOf(key) };
  const originOf = loaded === null ? undefined : loaded.originOf;
  const config = loaded?.config ?? {};
  const place = { for: text, file: loaded?.file ?? null, note: unroutedNote(key, config) };
  return { ...place, ...effectiveConfig(config, { ...about, settings, originOf }) };
}

/** What the conversation's current session says of itself. */
interface CurrentFacts {
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** Where it was begun. */
  readonly channel: string | null;
}

/** Nothing where there is no such session, or where it cannot be read. */
async function currentOf(key: string, root: string): Promise<CurrentFacts> {
  if (!existsSync(root)) return { settings: {}, channel: null };
  await using store = jsonlStore({ root });
  const records = await store.sessions.list({ key, state: 'open' });
  const [record] = records.toSorted((a, b) => (b.currentSince ?? -1) - (a.currentSince ?? -1));
  if (record === undefined) return { settings: {}, channel: null };
  const { channel } = record;
  try {
    await using journal = await openJournal(root, record.sessionId);
    return { settings: journal.session.view.settings, channel };
  } catch (error) {
    // What is wrong with the journal is a finding of its own.
    if (VarveError.is(error)) return { settings: {}, channel };
    throw error;
  }
}

function channelOf(key: SessionKey): string | null {
  return ('channel' in key ? key.channel : undefined) ?? null;
}

function typeOf(key: SessionKey): 'direct' | 'group' | 'thread' {
  if (key.kind !== 'group' && key.kind !== 'channel') return 'direct';
  return key.thread === undefined ? 'group' : 'thread';
}

/** So much of a value is always shown. */
const leastValue = 32;

/** A table: setting, value, layer, and where it is written. Values are cut to what a terminal has room for. */
export function effectiveTable(
  { for: key, file, note, values, sources }: EffectiveReport,
  { columns }: { readonly columns: number },
): string {
  const others = Object.entries(sources).reduce(
    (width, [name, { layer, path }]) => Math.max(width, name.length + layer.length + (path ?? '').length + 3),
    0,
  );
  const longestValue = Math.max(leastValue, columns - others);
  const rows = bySection(Object.entries(sources)).map(([name, { layer, path }]) => {
    const value = JSON.stringify(valueAt(values, name)) ?? '';
    const shown = value.length <= longestValue ? value : `${value.slice(0, longestValue - 1)}…`;
    return [name, printableText(shown), layer, printableText(path ?? '')];
  });
  const table = plainTable({ head: ['setting', 'value', 'layer', 'written at'], rows, left: [0, 1, 2, 3] });
  const by = file === null ? 'without a configuration' : `by ${printableText(file)}`;
  return `What holds for ${printableText(key)}, ${by}:\n${table}${note === null ? '' : `\nnote: ${printableText(note)}`}`;
}

/** Settings of one section side by side; sections in the order in which they begin. */
function bySection<Value>(settings: readonly (readonly [name: string, value: Value])[]): typeof settings {
  const sectionOf = (name: string): string => name.split('.')[0] ?? name;
  const sections = [...new Set(settings.map(([name]) => sectionOf(name)))];
  return sections.flatMap((section) => settings.filter(([name]) => sectionOf(name) === section));
}

/** Follows a name such as `send.rules[0]`. */
function valueAt(values: unknown, name: string): unknown {
  let value = values;
  for (const part of name.split(/\.|\[|\]/).filter((one) => one !== '')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  return value;
}
