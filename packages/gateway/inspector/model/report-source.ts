import type { ReportConversation } from '../../src/inspector/session-report.ts';
import type { ReadMessage, SessionSource } from './session-source.ts';
import { createVerdictHistory } from './verdict-history.ts';

/** A conversation that a report holds. */
export function reportSource(conversation: ReportConversation): SessionSource {
  const { title, requests, compactions, messages, edits } = conversation;
  const history = createVerdictHistory(conversation);
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  const afterOf = (seq: number, kind: string, at: number): ReadMessage['after'] => {
    if (kind === 'summarised') {
      const covering = compactions.findLast((one) => one.seq < at && one.toSeq >= seq);
      return covering === undefined
        ? null
        : { title: `the summary of entries up to #${covering.toSeq}`, text: covering.text };
    }
    const parts = edits.filter((edit) => edit.seq === seq && edit.since < at);
    if (!['edited', 'cleared', 'parked'].includes(kind) || parts.length === 0) return null;
    return { title: 'what was sent instead', text: parts.map(({ text }) => text).join('\n\n') };
  };
  return {
    title,
    requests,
    compactions,
    explain: async (number) => history(number),
    read: async ({ seq, kind }, number) => {
      const message = bySeq.get(seq);
      const at = requests[number - 1]?.seq ?? Number.POSITIVE_INFINITY;
      return {
        before: { text: message?.text ?? '', characters: message?.characters ?? null },
        after: afterOf(seq, kind, at),
      };
    },
  };
}
