import { translateSend } from './translate-send.ts';
import type { FilePath, Translation } from './translation.ts';

/** Everything under `session`, and the retention of jobs. */
export function translateSession(translation: Translation): void {
  const { read, copy, put, warn } = translation;
  for (const name of ['scope', 'dmScope', 'groupScope', 'identityLinks']) copy(['session', name], ['session', name]);
  warnOfLinks(translation);
  translateStore(translation);
  translateResets(translation);
  translateSend(translation);
  translateMaintenance(translation);
  const forkTokens = read(['session', 'parentForkMaxTokens']);
  const noLimit = forkTokens === 0 ? Number.MAX_SAFE_INTEGER : forkTokens;
  put(['session', 'subagents', 'forkTokens'], noLimit, ['session', 'parentForkMaxTokens']);
  const retention = read(['cron', 'sessionRetention']);
  const runs = withUnit(retention, 'h');
  put(['session', 'maintenance', 'runsOlderThan'], runs, ['cron', 'sessionRetention']);
  if (typeof read(['session', 'mainKey']) === 'string' && translation.look(['session', 'mainKey']) !== 'main') {
    warn(['session', 'mainKey'], 'is read for imports alone: here the main conversation is always called main.');
  }
}

function warnOfLinks({ look, warn }: Translation): void {
  const dmScope = look(['session', 'dmScope']);
  if (look(['session', 'identityLinks']) === undefined) return;
  if (dmScope !== 'per-channel-peer' && dmScope !== 'per-account-channel-peer') return;
  warn(['session', 'identityLinks'], 'make one conversation of a person on all channels; OpenClaw keeps one for each.');
}

function translateStore({ read, look, put, warn }: Translation): void {
  const path = read(['session', 'store']);
  if (path === undefined) return;
  const mainKey = look(['session', 'mainKey']);
  const source = typeof mainKey === 'string' ? { path, mainKey } : { path };
  put(['store', 'imports'], [source], ['session', 'store']);
  warn(
    ['session', 'store'],
    'is a source for imports alone, where nothing is ever written; sessions are kept in VARVE_HOME, or ~/.varve.',
  );
}

function translateResets(translation: Translation): void {
  const { read, look, put, warn, copy } = translation;
  const idleAlone = read(['session', 'idleMinutes']);
  const hasRules = look(['session', 'reset']) !== undefined || look(['session', 'resetByType']) !== undefined;
  if (idleAlone !== undefined && hasRules)
    warn(['session', 'idleMinutes'], 'is not read: session.reset or resetByType is there.');
  else if (idleAlone !== undefined) {
    put(['session', 'reset', 'mode'], 'idle', ['session', 'idleMinutes']);
    put(['session', 'reset', 'idleMinutes'], idleAlone, ['session', 'idleMinutes']);
  } else if (!hasRules) {
    warn(
      ['session'],
      'says nothing of resets: conversations end at 4, as in OpenClaw until 2026.3; later ones never end.',
    );
  }
  if (hasRules) {
    warn(
      look(['session', 'reset']) === undefined ? ['session', 'resetByType'] : ['session', 'reset'],
      'goes by the beginning of a conversation for the hour, and by the last message of a person for idle time.',
    );
  }
  copyRules(translation, ['session', 'reset']);
  for (const name of ['resetByType', 'resetByChannel']) {
    const rules = look(['session', name]);
    if (typeof rules !== 'object' || rules === null) copy(['session', name], ['session', name]);
    else for (const key of Object.keys(rules)) copyRules(translation, ['session', name, key]);
  }
  translateTriggers(translation);
}

/** Copies rules; numbers that OpenClaw puts right by itself are put right here, too, and said. */
function copyRules({ read, look, put, copy, warn }: Translation, at: readonly string[]): void {
  const rules = look(at);
  if (typeof rules !== 'object' || rules === null) {
    copy(at, at);
    return;
  }
  for (const name of Object.keys(rules)) {
    const from = [...at, name];
    const value = read(from);
    const right = typeof value !== 'number' ? value : inRange(name, value);
    if (right !== value) warn(from, `${String(value)} is read as ${String(right)}, as OpenClaw does.`);
    put(from, right, from);
  }
}

function inRange(name: string, value: number): number {
  if (name === 'atHour') return Math.min(23, Math.max(0, Math.floor(value)));
  return name === 'idleMinutes' ? Math.max(1, value) : value;
}

function translateTriggers({ read, put, warn }: Translation): void {
  const from = ['session', 'resetTriggers'];
  const triggers = read(from);
  if (!Array.isArray(triggers)) {
    put(from, triggers, from);
    return;
  }
  const isCommand = (one: unknown): boolean => typeof one !== 'string' || /^\/[a-z][\w-]*$/i.test(one);
  for (const other of triggers.filter((one) => !isCommand(one))) {
    warn(from, `${JSON.stringify(other)} is not read: a trigger is a slash and a word.`);
  }
  put(from, triggers.filter(isCommand), from);
  warn(from, 'are for owners alone: there is no list of authorised senders here.');
}

/** Parts of `session.maintenance` under their names here. */
const maintenance: readonly (readonly [from: string, to: string, unit?: string])[] = [
  ['pruneDays', 'olderThan', 'd'],
  ['pruneAfter', 'olderThan', 'd'],
  ['preserveRecent', 'keepRecent', 'd'],
  ['maxEntries', 'maxSessions'],
  ['maxDiskBytes', 'maxBytes'],
];

function translateMaintenance({ read, look, put, warn }: Translation): void {
  const at = ['session', 'maintenance'];
  if (look(at) === undefined) return;
  const from = (name: string): FilePath => [...at, name];
  const mode = read(from('mode'));
  put([...at, 'dryRun'], mode === undefined ? undefined : mode !== 'enforce', from('mode'));
  for (const [name, to, unit] of maintenance) {
    const value = read(from(name));
    put([...at, to], unit === undefined ? value : withUnit(value, unit), from(name));
  }
  warn(at, 'archives, and never removes; it runs when `varve sessions maintain` is called.');
}

/** Bare numbers have a unit that depends on where they stand. */
function withUnit(value: unknown, unit: string): unknown {
  return typeof value === 'number' ? `${value}${unit}` : value;
}
