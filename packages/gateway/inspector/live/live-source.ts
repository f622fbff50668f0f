import type { CompactionEntry, EditEntry, Entry } from '@varve/core';
import { messageText } from '../../src/inspector/message-text.ts';
import type { PictureMark, PictureRequest, ReportCompaction, ReportEdit } from '../../src/inspector/session-report.ts';
import type { RequestSummary } from '../../src/session/request-index.ts';
import type { ExplainedMessage, ReadMessage, SessionSource } from '../model/session-source.ts';
import type { GatewayClient } from './gateway-client.ts';

/** A compaction, with the id that takes it back. */
export interface LiveCompaction extends ReportCompaction {
  readonly id: string;
  readonly isRevoked: boolean;
}

/** A session as its gateway knows it now. */
export interface LiveSource extends SessionSource {
  readonly compactions: readonly LiveCompaction[];
}

interface Journal {
  readonly compactions: readonly LiveCompaction[];
  readonly edits: readonly ReportEdit[];
}

const requestsOfPage = 2_000;
const entriesOfPage = 1_000;
/** Explanations that are kept: those beside the one that is looked at. */
const keptExplanations = 6;

/** A session that is looked at for a while: what has been read of it is not read again. */
export interface LiveSession {
  /** What there is to see of it now. */
  refresh(): Promise<LiveSource>;
}

/** Begins with nothing; explanations and texts are read when they are looked at. */
export function openLiveSession(client: GatewayClient, sessionId: string): LiveSession {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}`;
  const explained = new Map<number, Promise<readonly ExplainedMessage[]>>();
  const summaries: RequestSummary[] = [];
  const found: Entry[] = [];
  const explain = (number: number): Promise<readonly ExplainedMessage[]> => {
    const known = explained.get(number) ?? readExplanation(client, path, number);
    explained.delete(number);
    explained.set(number, known);
    known.catch(() => explained.delete(number));
    const [oldest] = explained.keys();
    if (explained.size > keptExplanations && oldest !== undefined) explained.delete(oldest);
    return known;
  };
  return {
    refresh: async () => {
      await Promise.all([readRequests(client, path, summaries), readJournal(client, path, found)]);
      const requests = summaries.map((summary, index) => columnOf(summary, summaries[index - 1] ?? null));
      const journal = journalOf(found);
      return {
        title: sessionId,
        requests,
        compactions: journal.compactions,
        explain,
        read: async ({ seq, kind }, number): Promise<ReadMessage> => {
          const query = { after: seq - 1, limit: 1 };
          const { entries } = await client.get<{ entries: readonly Entry[] }>(`${path}/entries`, query);
          const [entry] = entries;
          const text = entry?.type === 'message' && entry.seq === seq ? messageText(entry.message) : '';
          const at = requests[number - 1]?.seq ?? Number.POSITIVE_INFINITY;
          return { before: { text, characters: null }, after: afterOf(journal, { seq, kind, at }) };
        },
      };
    },
  };
}

function afterOf(
  { compactions, edits }: Journal,
  { seq, kind, at }: { readonly seq: number; readonly kind: string; readonly at: number },
): ReadMessage['after'] {
  if (kind === 'summarised') {
    const covering = compactions.findLast((one) => one.seq < at && one.toSeq >= seq);
    return covering === undefined
      ? null
      : { title: `the summary of entries up to #${covering.toSeq}`, text: covering.text };
  }
  const parts = edits.filter((edit) => edit.seq === seq && edit.since < at);
  if (!['edited', 'cleared', 'parked'].includes(kind) || parts.length === 0) return null;
  return { title: 'what was sent instead', text: parts.map(({ text }) => text).join('\n\n') };
}

/** Reads on. The last one is read again: its answer may have come since. */
async function readRequests(client: GatewayClient, path: string, known: RequestSummary[]): Promise<void> {
  let after = Math.max(0, known.length - 1);
  for (;;) {
    const query = { after, limit: requestsOfPage };
    const page = await client.get<{ total: number; requests: readonly RequestSummary[] }>(`${path}/requests`, query);
    known.splice(after, known.length, ...page.requests);
    after += page.requests.length;
    if (page.requests.length === 0 || after >= page.total) return;
  }
}

/** Reads on behind the last entry that is known. */
async function readJournal(client: GatewayClient, path: string, known: Entry[]): Promise<void> {
  let after: number | null = known.at(-1)?.seq ?? 0;
  while (after !== null) {
    const query = { after, limit: entriesOfPage, types: 'compaction,edit,revoke' };
    const page: { entries: readonly Entry[]; next: number | null } = await client.get(`${path}/entries`, query);
    known.push(...page.entries);
    after = page.next;
  }
}

function journalOf(found: readonly Entry[]): Journal {
  const revoked = new Set(found.flatMap((entry) => (entry.type === 'revoke' ? [entry.targetId] : [])));
  const compactions = found.filter((entry): entry is CompactionEntry => entry.type === 'compaction');
  const edits = found.filter((entry): entry is EditEntry => entry.type === 'edit');
  return {
    compactions: compactions.map((entry) => compactionOf(entry, revoked.has(entry.id))),
    edits: [
      ...edits.flatMap((entry) => entry.edits.map((edit) => ({ ...edit, since: entry.seq, by: entry.by }))),
      ...compactions.flatMap((entry) =>
        entry.edits.map((edit) => ({ ...edit, since: entry.seq, by: entry.by.plugin })),
      ),
    ],
  };
}

function compactionOf(entry: CompactionEntry, isRevoked: boolean): LiveCompaction {
  const { id, seq, range, trigger, by, tokensBefore, tokensAfter, prose, digest } = entry;
  const lines = [
    ...(digest.task === null ? [] : ['Task', `#${digest.task.seq} ${digest.task.text}`, '']),
    ...(digest.userLog.length === 0
      ? []
      : ['What the user said', ...digest.userLog.map((line) => `#${line.seq} ${line.text}`), '']),
    ...(prose === null ? [] : ['Summary', prose, '']),
  ];
  const [fromSeq, toSeq] = [range.from.seq, range.to.seq];
  return {
    id,
    isRevoked,
    seq,
    fromSeq,
    toSeq,
    trigger,
    by: by.plugin,
    tokensBefore,
    tokensAfter,
    text: lines.join('\n'),
  };
}

interface ExplanationPage {
  readonly entries: readonly (Omit<ExplainedMessage, 'kind' | 'rule' | 'by'> & {
    readonly verdict: { readonly kind: string; readonly rule?: string; readonly by?: string };
  })[];
  readonly next: number | null;
}

async function readExplanation(
  client: GatewayClient,
  path: string,
  request: number,
): Promise<readonly ExplainedMessage[]> {
  const all: ExplainedMessage[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page: ExplanationPage = await client.get(`${path}/explain`, { request, after });
    for (const { seq, role, preview, tokens, verdict } of page.entries) {
      all.push({ seq, role, preview, tokens, kind: verdict.kind, rule: verdict.rule ?? '', by: verdict.by ?? '' });
    }
    after = page.next;
  }
  return all;
}

function columnOf(summary: RequestSummary, before: RequestSummary | null): PictureRequest {
  const { request, seq, at, model, tokens, budget, firstChangedByte, layers, usage, changes } = summary;
  const sizeOf = (place: string): number =>
    layers.reduce((sum, layer) => sum + (layer.place === place ? layer.tokens : 0), 0);
  const [system, summaryTokens, volatile] = [sizeOf('system'), sizeOf('summary'), sizeOf('volatile')];
  const changed = Object.entries(changes).filter(([kind]) => kind !== 'kept' && kind !== 'summarised');
  return {
    number: request,
    seq,
    at,
    model,
    tokens,
    budget,
    layers: {
      system,
      summary: summaryTokens,
      history: Math.max(0, tokens - system - summaryTokens - volatile),
      notes: 0,
      live: 0,
      volatile,
    },
    marks: marksOf(summary, before),
    actions: [
      ...summary.marks.map((mark) => (mark.type === 'revoke' ? `undone by #${mark.seq}` : `${mark.type} #${mark.seq}`)),
      ...changed.map(([kind, count]) => `${kind}: ${count}`),
    ],
    firstChangedByte,
    cache:
      usage === null
        ? null
        : {
            read: usage.cacheReadTokens ?? 0,
            write: usage.cacheWriteTokens ?? 0,
            uncached: usage.inputTokens,
            cost: null,
            everything: null,
          },
    error: null,
  };
}

function marksOf({ marks, changes, model }: RequestSummary, before: RequestSummary | null): readonly PictureMark[] {
  const found = new Set<PictureMark>();
  for (const { type } of marks) found.add(type === 'compaction' ? 'compaction' : 'undo');
  if ('dropped' in changes) found.add('cut');
  if ('edited' in changes || 'cleared' in changes || 'parked' in changes) found.add('prune');
  if (before !== null && before.model !== model) found.add('model');
  return [...found];
}
