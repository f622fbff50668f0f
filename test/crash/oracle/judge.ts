import { type Proof, type Said, sessionId } from '../said.ts';
import type { Fault } from './fault.ts';
import { changedByForgetting, type ForgetRequest, stretchesOf } from './forgotten.ts';
import { type EntryPart, type EntryValue, type FileEntry, readJournalFile } from './read-journal-file.ts';

/** What is known of a store from the times before. */
export interface Known {
  /** Every entry that must be there, by seq. */
  readonly entries: ReadonlyMap<number, FileEntry>;
  readonly forgotten: readonly ForgetRequest[];
}

/** What there is to judge by: files as they are, and what was said since the time before. */
export interface Evidence {
  /** `null` when there is no file. */
  readonly journal: Buffer | null;
  /** All other files of the store. */
  readonly others: readonly { readonly name: string; readonly bytes: Buffer }[];
  /** Ids of the calls that tools ran, one a line. */
  readonly effects: string;
  readonly said: readonly Said[];
  /** True when a worker has just opened the store, and nothing else: what was torn has been cut. */
  readonly isOpened: boolean;
}

/** What was found. */
export interface Judgement {
  readonly faults: readonly Fault[];
  /** For the next time. */
  readonly known: Known;
  /** Entries that were acknowledged since the time before, and those that are there beside. */
  readonly acknowledged: number;
  readonly beyond: number;
  /** What follows the last whole append. */
  readonly torn: Buffer;
}

/** Nothing is known of a store that is begun. */
export const nothingKnown: Known = { entries: new Map(), forgotten: [] };

/** Holds a store against what was said of it. Knows the format of the files, and nothing of the product. */
export function judge(known: Known, evidence: Evidence): Judgement {
  const { journal, said } = evidence;
  const { entries, torn, faults } = readJournalFile(journal ?? Buffer.alloc(0), sessionId);
  const claims = claimsOf(known, said);
  const taken = takenPlace(claims, entries);
  const all = [...known.forgotten, ...taken.forgotten];
  const last = entries.at(-1)?.value.seq ?? 0;
  const beyond = entries.filter(({ value }) => !claims.expected.has(value.seq)).length;
  const found: readonly Fault[] = [
    ...faults,
    ...claims.faults,
    ...taken.faults,
    ...missingFaults(claims, entries),
    ...changeFaults(claims, { entries, forgotten: taken.forgotten }),
    ...textFaults(evidence, { known, forgotten: taken.forgotten }),
    ...effectFaults(evidence.effects, entries),
    ...keyFaults(said, entries),
    ...proofFaults(said, { entries, forgotten: all }),
    ...(evidence.isOpened ? openedFaults(evidence, { entries, torn }) : []),
  ];
  const next = { entries: new Map(entries.map((entry) => [entry.value.seq, entry])), forgotten: all };
  return { faults: found, known: next, acknowledged: claims.acknowledged, beyond: last === 0 ? 0 : beyond, torn };
}

/** What was said: the entries that must be there, and what was forgotten. */
interface Claims {
  readonly expected: ReadonlyMap<number, FileEntry>;
  readonly acknowledged: number;
  readonly forgot: readonly ForgetRequest[];
  /** Asked for, and nobody knows whether it came to be. */
  readonly forgetting: ForgetRequest | null;
  readonly faults: readonly Fault[];
}

function claimsOf(known: Known, said: readonly Said[]): Claims {
  const expected = new Map(known.entries);
  const faults: Fault[] = [];
  const forgot: ForgetRequest[] = [];
  let forgetting: ForgetRequest | null = null;
  let acknowledged = 0;
  for (const one of said) {
    if (one.say === 'problem') faults.push({ rule: 'worker', text: one.text });
    if (one.say === 'forgetting') forgetting = one;
    if (one.say === 'forgot') {
      if (forgetting !== null) forgot.push(forgetting);
      forgetting = null;
    }
    for (const text of one.say === 'appended' ? one.entries : []) {
      const value = JSON.parse(text) as EntryValue;
      acknowledged += 1;
      if (expected.has(value.seq)) faults.push({ rule: 'seq-twice', text: `#${value.seq} was acknowledged twice` });
      expected.set(value.seq, { text, value });
    }
  }
  return { expected, acknowledged, forgot, forgetting, faults };
}

/** Which requests to forget have come to be: those that resolved, and the one that did not, if the file says so. */
function takenPlace(
  { forgot, forgetting }: Claims,
  entries: readonly FileEntry[],
): { readonly forgotten: readonly ForgetRequest[]; readonly faults: readonly Fault[] } {
  const byId = new Map(entries.map((entry) => [entry.value.id, entry.value]));
  const countOf = ({ ids }: ForgetRequest): number => ids.filter((id) => byId.get(id)?.forgotten !== undefined).length;
  const isHalf = forgetting !== null && countOf(forgetting) > 0 && countOf(forgetting) < forgetting.ids.length;
  const isDone = forgetting !== null && countOf(forgetting) === forgetting.ids.length;
  const faults: Fault[] = forgot
    .filter((request) => countOf(request) < request.ids.length)
    .map(({ ids }) => ({ rule: 'half-forgotten', text: `of ${ids.join(', ')} not all are forgotten` }));
  if (isHalf) faults.push({ rule: 'half-forgotten', text: `of ${forgetting?.ids.join(', ')} some are forgotten` });
  return { forgotten: isDone && forgetting !== null ? [...forgot, forgetting] : forgot, faults };
}

function missingFaults({ expected }: Claims, entries: readonly FileEntry[]): readonly Fault[] {
  const ids = new Set(entries.map(({ value }) => value.id));
  return [...expected.values()]
    .filter(({ value }) => !ids.has(value.id))
    .map(({ value }) => ({ rule: 'lost', text: `#${value.seq} (${value.type}) was acknowledged and is not there` }));
}

function changeFaults(
  { expected }: Claims,
  { entries, forgotten }: { readonly entries: readonly FileEntry[]; readonly forgotten: readonly ForgetRequest[] },
): readonly Fault[] {
  const byId = new Map(entries.map((entry) => [entry.value.id, entry]));
  const changed = forgotten.length === 0 ? new Set() : changedByForgetting([...expected.values()], forgotten);
  return [...expected.values()].flatMap((before): readonly Fault[] => {
    const after = byId.get(before.value.id);
    if (after === undefined || after.text === before.text) return [];
    const { seq, type } = before.value;
    const isSame = (['seq', 'parentId', 'at', 'type'] as const).every(
      (field) => after.value[field] === before.value[field],
    );
    if (isSame && changed.has(before.value.id)) return [];
    return [{ rule: 'changed', text: `#${seq} (${type}) is not as it was:\n${before.text}\n${after.text}` }];
  });
}

/** Of what was forgotten before, fewer stretches are looked for: what is left of it now was left then. */
function textFaults(
  { journal, others }: Evidence,
  { known, forgotten }: { readonly known: Known; readonly forgotten: readonly ForgetRequest[] },
): readonly Fault[] {
  const files = [{ name: 'the journal', bytes: journal ?? Buffer.alloc(0) }, ...others];
  const stretches = [
    ...known.forgotten.flatMap((request) => stretchesOf(request, 12)),
    ...forgotten.flatMap((request) => stretchesOf(request)),
  ];
  return files.flatMap(({ name, bytes }): readonly Fault[] => {
    const text = bytes.toString('latin1');
    const left = stretches.find((one) => text.includes(one));
    return left === undefined ? [] : [{ rule: 'forgotten-text', text: `"${left}" is left in ${name}` }];
  });
}

/** No call runs twice, and none before it is stored. */
function effectFaults(effects: string, entries: readonly FileEntry[]): readonly Fault[] {
  const ran = effects.split('\n').filter((line) => line !== '');
  const stored = new Set(entries.flatMap(({ value }) => callIdsOf(value)));
  const twice = ran.filter((id, index) => ran.indexOf(id) !== index);
  const unstored = ran.filter((id) => !stored.has(id));
  return [
    ...twice.map((id): Fault => ({ rule: 'ran-twice', text: `${id} ran twice` })),
    ...unstored.map((id): Fault => ({ rule: 'ran-unstored', text: `${id} ran, and its call is not stored` })),
  ];
}

function callIdsOf(value: EntryValue): readonly string[] {
  return partsOf(value).flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId ?? ''] : []));
}

function partsOf({ type, message }: EntryValue): readonly EntryPart[] {
  if (type !== 'message' || message === undefined) return [];
  const { content } = message;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function keyFaults(said: readonly Said[], entries: readonly FileEntry[]): readonly Fault[] {
  const keyed = entries.flatMap(({ value }) => (typeof value.key === 'string' ? [value] : []));
  const known = new Set(keyed.map(({ key }) => key));
  const done = said.flatMap((one) => (one.say === 'done' && one.key !== null ? [one.key] : []));
  const parents = new Map(entries.map(({ value }) => [value.id, value.parentId]));
  // A message that was taken back no longer holds its key: only one that the second leads back to does.
  const isTwice = (second: EntryValue): boolean =>
    keyed.some((first) => first !== second && first.key === second.key && leadsTo(second, { id: first.id, parents }));
  const twice = keyed.filter(isTwice).map(({ key }) => key);
  return [
    ...twice.map((key): Fault => ({ rule: 'key-twice', text: `two messages have the key ${key}` })),
    ...done
      .filter((key) => !known.has(key))
      .map((key): Fault => ({ rule: 'key-missing', text: `no message has the key ${key}` })),
  ];
}

/** Whether an entry is among those that come before another one on its path. */
function leadsTo(
  entry: EntryValue,
  { id, parents }: { readonly id: string; readonly parents: ReadonlyMap<string, string | null> },
): boolean {
  for (let at = entry.parentId; at !== null; at = parents.get(at) ?? null) if (at === id) return true;
  return false;
}

/** What an operation has to show for itself once it has resolved. */
function proofFaults(
  said: readonly Said[],
  { entries, forgotten }: { readonly entries: readonly FileEntry[]; readonly forgotten: readonly ForgetRequest[] },
): readonly Fault[] {
  const stretches = forgotten.flatMap((request) => stretchesOf(request));
  return said.flatMap((one): readonly Fault[] => {
    if (one.say !== 'done') return [];
    const missing = one.proofs.filter((proof) => {
      const wasForgotten = proof.kind === 'answer' && stretches.some((text) => proof.text.includes(text));
      return !wasForgotten && !entries.some(({ value }) => proves(value, proof));
    });
    return missing.map((proof) => ({ rule: 'unproved', text: `${one.op} resolved without ${JSON.stringify(proof)}` }));
  });
}

function proves(value: EntryValue, proof: Proof): boolean {
  const { type } = value;
  switch (proof.kind) {
    case 'entry':
      return value.id === proof.id;
    case 'answer': {
      const texts = partsOf(value).flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : []));
      return texts.join('') === proof.text;
    }
    case 'state':
      return type === 'state' && value.slot === proof.slot && value.text === proof.text;
    case 'setting':
      return type === 'setting' && value.name === proof.name && value.value === proof.value;
    case 'revoke':
      return type === 'revoke' && value.targetId === proof.targetId;
  }
}

/** The product reads what the file holds, and has cut what was torn. */
function openedFaults(
  { said }: Evidence,
  { entries, torn }: { readonly entries: readonly FileEntry[]; readonly torn: Buffer },
): readonly Fault[] {
  const opened = said.findLast((one) => one.say === 'opened');
  const read = opened?.entries.join('\n');
  const faults: Fault[] = [];
  if (torn.length > 0) faults.push({ rule: 'torn-left', text: `${torn.length} bytes of an append were not cut` });
  if (read !== entries.map(({ text }) => text).join('\n')) {
    faults.push({ rule: 'read-otherwise', text: `${opened?.entries.length} entries were read, ${entries.length} are` });
  }
  return faults;
}
