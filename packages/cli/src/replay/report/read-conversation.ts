import {
  type CompactionEntry,
  type Edit,
  type Entry,
  type Journal,
  type Message,
  type RequestEntry,
  renderDigest,
  tableCounter,
} from '@varve/core';
import type { ReportCompaction, ReportEdit, ReportMessage } from '@varve/gateway/inspector';
import type { TextBudget } from './text-budget.ts';

/** What of a journal a page shows. */
interface ReadConversation {
  readonly messages: readonly ReportMessage[];
  readonly edits: readonly ReportEdit[];
  readonly compactions: readonly ReportCompaction[];
  readonly requests: readonly RequestEntry[];
}

/** How it is read. */
interface ReadOptions {
  readonly texts: TextBudget;
  readonly textOf: (message: Message) => string;
}

/** Reads a journal from its beginning. */
export async function readConversation(journal: Journal, { texts, textOf }: ReadOptions): Promise<ReadConversation> {
  const messages: ReportMessage[] = [];
  const edits: ReportEdit[] = [];
  const compactions: ReportCompaction[] = [];
  const requests: RequestEntry[] = [];
  const noteEdits = (found: readonly Edit[], since: number, by: string): void => {
    for (const { seq, rule, text } of found) edits.push({ seq, since, rule, by, text: texts.take(text).text });
  };
  const note = (entry: Entry): void => {
    if (entry.type === 'message') {
      const { seq, message, tokens } = entry;
      messages.push({ seq, role: message.role, tokens: tokens.n, ...texts.take(textOf(message)) });
    } else if (entry.type === 'request') requests.push(entry);
    else if (entry.type === 'edit') noteEdits(entry.edits, entry.seq, entry.by);
    else if (entry.type === 'compaction') {
      compactions.push(compactionOf(entry, texts));
      noteEdits(entry.edits, entry.seq, entry.by.plugin);
    }
  };
  for await (const entry of journal.read()) note(entry);
  return { messages, edits, compactions, requests };
}

function compactionOf(entry: CompactionEntry, texts: TextBudget): ReportCompaction {
  const { seq, range, trigger, by, tokensBefore, tokensAfter, digest, prose, instructions } = entry;
  const [fromSeq, toSeq] = [range.from.seq, range.to.seq];
  const shown = { fromSeq: 1, toSeq };
  const whole = renderDigest({ digest, prose, counter: tableCounter, instructions, range: shown });
  const { text } = texts.take(whole);
  return { seq, fromSeq, toSeq, trigger, by: by.plugin, tokensBefore, tokensAfter, text };
}
