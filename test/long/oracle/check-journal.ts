import { isDeepStrictEqual } from 'node:util';
import type { Report } from './check-prompt.ts';
import type { SeenEntry, SeenEvent, SeenPrompt } from './observation.ts';
import { foldBefore, type OwnJournal, pathTo } from './own-fold.ts';
import { type OwnThread, threadOf } from './own-thread.ts';

type EventOf<Kind extends SeenEvent['kind']> = Extract<SeenEvent, { readonly kind: Kind }>;

/** Every message that was taken stands in the journal once, as it was given; one for each key on a path. */
export function checkIngests(
  journal: OwnJournal,
  { ingests, report }: { readonly ingests: readonly EventOf<'ingest'>[]; readonly report: (op: number) => Report },
): void {
  const messages = journal.entries.filter((entry) => entry.type === 'message');
  const acknowledged = new Set<string>();
  for (const { entryId, message, key, op } of ingests) {
    acknowledged.add(entryId);
    const found = messages.filter((entry) => entry.id === entryId);
    if (found.length !== 1) report(op)('lost', `${found.length} entries have the id of a message that was taken`);
    else if (!isDeepStrictEqual(found[0]?.message, message)) report(op)('lost', `#${found[0]?.seq} is another message`);
    if (key !== null && found[0]?.key !== key) report(op)('lost', `the key ${key} is not that of #${found[0]?.seq}`);
  }
  const last = ingests.at(-1)?.op ?? 0;
  for (const entry of messages.filter(({ key }) => key !== undefined)) {
    const same = messages.filter(({ key, seq }) => key === entry.key && seq < entry.seq);
    const { path } = foldBefore(journal, { seq: entry.seq });
    // What was taken back can be said again.
    if (same.some(({ seq }) => path.has(seq))) report(last)('lost', `the key ${entry.key} stands twice on one path`);
  }
  for (const { id, seq } of messages) {
    if (!acknowledged.has(id)) report(last)('lost', `#${seq} stands in the journal, and nobody said it`);
  }
  for (const [index, { seq }] of journal.entries.entries()) {
    if (seq !== index + 1) report(last)('lost', `the entry at ${index + 1} has the seq ${seq}`);
  }
}

/** Compactions are legal where they stand, whoever planned them. */
export function checkCompaction(entry: SeenEntry, { journal, report }: { journal: OwnJournal; report: Report }): void {
  const { range, edits = [], tokensBefore = 0, tokensAfter = 0, seq } = entry;
  if (range === undefined) return;
  const fold = foldBefore(journal, { seq });
  const messages = fold.visible.slice(fold.held);
  const to = messages.findIndex(({ id }) => id === range.to.id);
  if (messages[0]?.id !== range.from.id || to === -1) report('plan', `#${seq} covers what is not visible`);
  if (messages[to + 1]?.id !== range.firstKept?.id) report('plan', `#${seq} leaves a gap behind what it covers`);
  if (tokensAfter >= tokensBefore) report('plan', `#${seq} makes nothing smaller`);
  const thread = threadOf(fold);
  const split = splitGroup(thread, range.to.seq);
  if (split !== null) report('plan', `#${seq} parts #${split.join(' from #')}`);
  const { lastAssistant } = thread;
  const unread = thread.messages.find(
    ({ entry: own, message }, index) =>
      message.role === 'tool' && index > lastAssistant && own !== null && own.seq <= range.to.seq,
  );
  if (unread !== undefined) report('plan', `#${seq} covers #${unread.entry?.seq}, which nobody has read`);
  const stays = new Set([...messages.slice(to + 1).map(({ id }) => id), range.held?.id ?? '']);
  for (const edit of edits) {
    if (!stays.has(edit.entryId)) report('plan', `#${seq} edits #${edit.seq}, which does not stay`);
  }
}

/** Two entries of one group with the boundary between them; `null` when no group has members on both sides. */
function splitGroup({ messages }: OwnThread, lastSeq: number): readonly number[] | null {
  const before = new Map<number, number>();
  const seqs = messages.flatMap(({ entry, group }) => (entry === null ? [] : [{ group, seq: entry.seq }]));
  for (const { group, seq } of seqs) if (seq <= lastSeq) before.set(group, seq);
  const other = seqs.find(({ group, seq }) => seq > lastSeq && before.has(group));
  return other === undefined ? null : [before.get(other.group) ?? 0, other.seq];
}

/** The head stands where it was asked to, or at the end of the group that the target is in. */
export function checkMove(move: EventOf<'move'>, { journal, report }: { journal: OwnJournal; report: Report }): void {
  const head = journal.byId.get(move.head);
  const target = journal.byId.get(head?.targetId ?? '');
  let given = journal.byId.get(move.given);
  while (given?.type === 'head') given = journal.byId.get(given.targetId ?? '');
  if (head === undefined || target === undefined || given === undefined) {
    report('head', 'it is nowhere');
    return;
  }
  if (target.seq < given.seq) report('head', `it moved back from #${given.seq} to #${target.seq}`);
  const path = pathTo(journal, target.id);
  if (!path.has(given.seq)) report('head', `#${given.seq} does not lead to #${target.seq}`);
  const stretch = stretchOf(journal, target);
  const messages = journal.entries.filter(
    ({ type, seq }) => type === 'message' && seq < head.seq && (path.has(seq) || stretch.has(seq)),
  );
  const shown = foldBefore(journal, { seq: head.seq + 1 }).visible.filter(({ message }) => message?.role !== 'system');
  const fromSeq = Math.min(...shown.map(({ seq }) => seq));
  const own = threadOf({ visible: messages.filter(({ seq }) => seq >= fromSeq), edits: new Map() });
  const split = splitGroup(own, target.seq);
  if (split !== null) report('head', `#${head.seq} parts #${split.join(' from #')}`);
  if (target.id === given.id) return;
  const whole = threadOf({ visible: messages, edits: new Map() });
  const isNeedless = splitGroup(own, given.seq) === null && splitGroup(whole, given.seq) === null;
  if (isNeedless) report('head', `it moved on from #${given.seq} to #${target.seq} for nothing`);
}

/** Entries that came directly one after the other, from the target to where the head was moved next. */
function stretchOf({ entries }: OwnJournal, target: SeenEntry): ReadonlySet<number> {
  const seqs = new Set<number>();
  let last = target;
  for (const entry of entries.slice(target.seq)) {
    if (entry.parentId !== last.id) break;
    seqs.add(entry.seq);
    if (entry.type === 'head') break;
    last = entry;
  }
  return seqs;
}

/** What requests recorded, added up, says of each entry what the prompt's own manifest says. */
export class RunningVerdicts {
  readonly #kinds = new Map<number, string>();

  /** Adds a request and holds the sum against the manifest. */
  check(
    request: SeenEntry,
    { prompt, journal, report }: { prompt: SeenPrompt; journal: OwnJournal; report: Report },
  ): void {
    for (const { seq: from, toSeq, verdict, rule, by } of request.changes ?? []) {
      for (let seq = from; seq <= (toSeq ?? from); seq += 1) this.#kinds.set(seq, nameOf({ kind: verdict, rule, by }));
    }
    const said = new Map<number, string>();
    for (const { fromSeq, toSeq, ...verdict } of prompt.manifest.ranges) {
      for (let seq = fromSeq; seq <= toSeq; seq += 1) said.set(seq, nameOf(verdict));
    }
    for (const { seq, ...verdict } of prompt.manifest.entries) said.set(seq, nameOf(verdict));
    for (const { seq, type } of journal.entries.slice(0, request.seq - 1)) {
      const recorded = this.#kinds.get(seq) ?? 'kept';
      if (type !== 'message' || recorded === said.get(seq)) continue;
      report('accounting', `#${seq} is recorded as ${recorded}, the manifest says ${said.get(seq)}`);
    }
  }
}

function nameOf({
  kind,
  rule = '',
  by = '',
}: {
  kind: string;
  rule?: string | undefined;
  by?: string | undefined;
}): string {
  return [kind, rule, by].filter((part) => part !== '').join(' ');
}
