import type { Report } from './check-prompt.ts';
import { countMessage, countText, sum, textOfOutput } from './count-tokens.ts';
import type { SeenEvent, SeenMessage, SeenPart } from './observation.ts';
import { foldBefore, type OwnFold, type OwnJournal } from './own-fold.ts';
import { threadOf } from './own-thread.ts';

type Impossible = Extract<SeenEvent, { readonly kind: 'impossible' }>;

/** From this many characters on a text can be shortened, and then it takes at most this many. */
const shortenable = { from: 900, to: 720 } as const;

/** Who says that it is impossible shows numbers that do not fit, and what must be in the prompt really does not. */
export function checkImpossible(
  event: Impossible,
  { journal, report }: { readonly journal: OwnJournal; readonly report: Report },
): void {
  const { details, input, reserved, storedSeq, model, hasLayers } = event;
  const { budgetTokens = Infinity, liveTokens = 0, otherTokens = 0, tokens = 0, toolTokens } = details;
  const fixed = (details.reservedTokens ?? 0) + (toolTokens ?? 0) + (details.systemTokens ?? 0);
  const isProved =
    liveTokens + otherTokens > budgetTokens ||
    tokens > budgetTokens ||
    (details.input !== undefined && (fixed >= details.input || details.input < 1));
  if (!isProved) report('budget', `said to be impossible with ${JSON.stringify(details)}`);
  const said = details.budgetTokens ?? details.input;
  if (said !== input) report('budget', `the budget is ${input}, not ${said}`);
  if (toolTokens !== undefined && toolTokens !== reserved)
    report('budget', `tools cost ${reserved}, not ${toolTokens}`);
  const fold = foldBefore(journal, { seq: storedSeq + 1, model });
  // What a summary or a plugin's layer takes cannot be known from outside.
  if (hasLayers || fold.compaction !== null) return;
  const least = leastTokens(fold) + reserved;
  if (least <= input) report('budget', `${least} tokens would do, of ${input}: ${JSON.stringify(details)}`);
}

/** What a prompt takes that holds the running turn alone, with everything long in it shortened. */
function leastTokens(fold: OwnFold): number {
  const { messages, liveFrom } = threadOf(fold);
  const live = messages.slice(liveFrom).map(({ message }) => message);
  const systems = fold.visible.flatMap(({ message }) => (message?.role === 'system' ? [message.content] : []));
  const slots = [...fold.state].map(([slot, value]) => `${slot}: ${value}`);
  const texts = [systems.join('\n\n'), slots.length === 0 ? '' : ['# State', ...slots].join('\n\n')];
  const layers = texts.map((text) => (text === '' ? 0 : 4 + countText(text)));
  const lead = live[0]?.role === 'user' ? 0 : 20;
  return sum(live.map((message) => countMessage(shortened(message)))) + sum(layers) + lead;
}

function shortened(message: SeenMessage): SeenMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: shortText(content) };
  return { ...message, content: content.map(shortPart) };
}

function shortPart(part: SeenPart): SeenPart {
  if (part.type === 'text') return { ...part, text: shortText(part.text ?? '') };
  if (part.output === undefined) return part;
  const text = textOfOutput(part.output);
  return text.length < shortenable.from ? part : { ...part, output: { type: 'text', value: shortText(text) } };
}

function shortText(text: string): string {
  return text.length < shortenable.from ? text : text.slice(0, shortenable.to);
}
