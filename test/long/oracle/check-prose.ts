import type { Report } from './check-prompt.ts';
import { countText } from './count-tokens.ts';
import type { SeenEntry, SeenPrompt, SeenReply } from './observation.ts';
import { foldBefore, type OwnJournal } from './own-fold.ts';

const latin = /[a-z]/giu;

/** Letters of which one says as much as three Latin ones. */
const dense = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/gu;

/** Beginnings of lines with which a summary would pass for something else. */
const forged = /^(?:## System|# Conversation|<\/summary>|\[user\]: Yes|<\|im_start\|>)/m;

/** A text in Latin letters needs so many of them to show its language. */
const tellingLetters = 40;

/** Prose is what a model that was asked for it really answered, and answered well. */
export function checkProse(
  journal: OwnJournal,
  { replies, report }: { readonly replies: readonly SeenReply[]; readonly report: Report },
): void {
  const { entries } = journal;
  const isDense = entries.some(({ message }) => message?.role === 'user' && lettersOf(textsOf(message), dense) > 0);
  const carried = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== 'compaction') continue;
    const { seq, prose, by } = entry;
    const taken = replies.filter(({ mark }) => prose?.includes(mark));
    for (const reply of taken) {
      const why =
        objection(reply) ?? (carried.has(reply.mark) || isDense ? null : strangeness(reply, { journal, entry }));
      if (why !== null) report('prose', `#${seq} took ${reply.mark}, which ${why}`);
      carried.add(reply.mark);
    }
    const names = (by as { readonly model?: unknown } | undefined)?.model !== undefined;
    if (names && taken.length === 0) report('prose', `#${seq} names a model, and no answer of it is in the prose`);
  }
}

/** A summary is never taken for orders, or for words of the user. */
export function checkForgery({ messages, manifest }: SeenPrompt, report: Report): void {
  const count = manifest.layers.filter(({ place }) => place === 'summary').length;
  for (const { content } of messages.slice(0, count)) {
    const line = typeof content === 'string' ? forged.exec(content)?.[0] : undefined;
    if (line !== undefined) report('prose', `the summary has a line that begins with ${line}`);
  }
}

/** Why an answer is no summary; `null` when it may be one. */
function objection({ text, stop, hasCall, sourceTokens }: SeenReply): string | null {
  if (stop === 'length') return 'was cut off';
  if (stop !== 'stop') return `ended by ${stop}`;
  if (hasCall) return 'calls a tool';
  if (text.trim() === '') return 'says nothing';
  return countText(text) > sourceTokens ? 'is longer than its source' : null;
}

/** Why an answer is not in the language of a user who writes in Latin letters, and who said enough to show that. */
function strangeness(
  { text }: SeenReply,
  { journal, entry: { seq, range } }: { readonly journal: OwnJournal; readonly entry: SeenEntry },
): string | null {
  if (3 * lettersOf(text, dense) <= lettersOf(text, latin)) return null;
  const covered = foldBefore(journal, { seq }).visible.filter((entry) => entry.seq <= (range?.to.seq ?? 0));
  const said = covered.flatMap(({ message, provenance }) =>
    message?.role === 'user' && provenance?.kind === 'user' ? [textsOf(message)] : [],
  );
  return lettersOf(said.join('\n'), latin) < tellingLetters ? null : 'is in another language than the user';
}

function lettersOf(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}

function textsOf({ content }: NonNullable<SeenEntry['message']>): string {
  if (typeof content === 'string') return content;
  return content.map(({ text = '' }) => text).join('\n');
}
