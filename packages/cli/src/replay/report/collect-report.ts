import {
  messageText,
  type PictureRequest,
  type ReportConversation,
  type SessionReport,
} from '@varve/gateway/inspector';
import { jsonlStore } from '@varve/stores/jsonl';
import type { Replay, ReplayedSession } from '../replay.ts';
import { readConversation } from './read-conversation.ts';
import { columnOf } from './request-column.ts';
import { createTextBudget } from './text-budget.ts';

/** Reads out of a replay, and out of the journals that it left, what a page of it shows. */
export async function collectReport(replay: Replay, { root }: { readonly root: string }): Promise<SessionReport> {
  const store = jsonlStore({ root });
  const texts = createTextBudget();
  const conversations: ReportConversation[] = [];
  for (const session of replay.sessions) {
    const journal = await store.open(session.session, { readOnly: true });
    try {
      const read = await readConversation(journal, { texts, textOf: messageText });
      conversations.push(conversationOf(replay, { session, read }));
    } finally {
      await journal.close();
    }
  }
  return { title: titleOf(replay.file), facts: factsOf(replay), problems: problemsOf(replay), conversations };
}

type Read = Awaited<ReturnType<typeof readConversation>>;

function conversationOf(
  { requests: rows, sessions }: Replay,
  { session, read }: { readonly session: ReplayedSession; readonly read: Read },
): ReportConversation {
  const own = rows.filter(({ item }) => item === undefined || item === session.item);
  const requests: PictureRequest[] = [];
  const changes: ReportConversation['changes'][number][] = [];
  for (const row of own) {
    const stored = row.request === null ? undefined : read.requests[row.request - 1];
    requests.push(columnOf(row, { number: requests.length + 1, stored }));
    changes.push(stored?.changes ?? []);
  }
  const { messages, edits, compactions } = read;
  const title = session.title ?? (sessions.length === 1 ? session.session : `conversation ${session.item}`);
  return { title, requests, changes, messages, edits, compactions };
}

function titleOf(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

function factsOf({ format, entries, requests, totals, settings }: Replay): SessionReport['facts'] {
  const share = (value: number): string => `${Math.round(value * 100)} %`;
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  return [
    { name: 'requests', value: whole(requests.length) },
    { name: 'messages', value: whole(entries) },
    { name: 'compactions', value: whole(totals.compactions) },
    { name: 'edits', value: whole(totals.edits) },
    { name: 'budget', value: settings.budget === null ? 'none' : `${whole(settings.budget)} tokens` },
    { name: 'read from the cache', value: share(totals.hitRate) },
    { name: 'cost of sending everything', value: totals.costRatio === null ? '–' : share(totals.costRatio) },
    { name: 'cache life', value: settings.cacheTtl },
    { name: 'format', value: format },
    { name: 'plugins', value: settings.plugins.length === 0 ? 'none' : settings.plugins.join(', ') },
  ];
}

function problemsOf({ interrupted, health }: Replay): readonly string[] {
  return [
    ...(interrupted ? ['The replay was interrupted: this is what there was until then.'] : []),
    ...health.findings.map(({ name, where, failures, lastError }) => {
      return `${name} failed ${failures} times in ${where}: ${lastError}`;
    }),
  ];
}
