import { isDeepStrictEqual } from 'node:util';
import { countText, textOfOutput } from './count-tokens.ts';
import type { SeenMessage, SeenPart, SeenPrompt } from './observation.ts';
import { type OwnMessage, type OwnThread, withText } from './own-thread.ts';

type GivenVerdict = SeenPrompt['manifest']['entries'][number];

/** What a plugin of this test writes in front of what it shortens for one request; `#7.0` is entry and part. */
const editorNote = /^\[shortened #(\d+)\.(\d+)\] ([\s\S]*)$/;
const parkNote =
  /^([\s\S]*)\n\[… (\d+) lines, about (\d+) tokens left out; the whole is in #(\d+)(?:\.\d+)? …\]\n([\s\S]*)$/;

/** How a message differs from what it must be, given its verdict; `null` when it is as it must be. */
export function shownAs(
  item: SeenMessage | undefined,
  own: OwnMessage,
  place: { readonly verdict: GivenVerdict | undefined; readonly thread: OwnThread; readonly index: number },
): string | null {
  if (item === undefined) return 'there is no message for it';
  if (isDeepStrictEqual(item, own.message)) return null;
  const { message, entry, parts } = own;
  const { verdict, thread, index } = place;
  if (item.role !== message.role) return `a ${item.role} message stands there`;
  if (verdict === undefined || !['parked', 'edited', 'cleared'].includes(verdict.kind)) return 'it has another text';
  const isLive = index >= thread.liveFrom;
  if (isLive && verdict.kind !== 'parked') return `it is ${verdict.kind}`;
  const isUnread = message.role === 'tool' && index > thread.lastAssistant;
  const isAllowed = ['park-unread', 'park-user'].includes(verdict.rule ?? '');
  if (isUnread && !isAllowed) return 'the model has not read it, and it is changed';
  const seq = entry?.seq ?? 0;
  if (typeof item.content === 'string' || typeof message.content === 'string') {
    const [text, whole] = [item.content, message.content];
    const isText = typeof text === 'string' && typeof whole === 'string';
    return isText && isShortened(text, { whole, seq, part: 0, verdict }) ? null : 'its text is another one';
  }
  const wholes = message.content;
  const wrong = item.content.findIndex((part, at) => {
    const whole = wholes[at];
    if (whole === undefined || isDeepStrictEqual(part, whole)) return whole === undefined;
    const text = textOf(part);
    const isSame = text !== null && isDeepStrictEqual(part, withText(whole, text));
    return !isSame || !isShortened(text, { whole: textOf(whole) ?? '', seq, part: parts[at] ?? -1, verdict });
  });
  if (wrong === -1 && item.content.length === wholes.length) return null;
  return `part ${wrong} is another one`;
}

function textOf(part: SeenPart): string | null {
  if (part.output !== undefined) return textOfOutput(part.output);
  return part.text ?? null;
}

/** True for the texts that may stand for `whole`: its head and tail, or what this test's plugin makes of it. */
function isShortened(
  text: string,
  options: {
    readonly whole: string;
    readonly seq: number;
    readonly part: number;
    readonly verdict: GivenVerdict;
  },
): boolean {
  const { whole, seq, part, verdict } = options;
  const [, bySeq, byPart, rest = ''] = editorNote.exec(text) ?? [];
  // Of a message whose parts were treated in several ways the verdict names the strongest.
  if (Number(bySeq) === seq && Number(byPart) === part && whole.startsWith(rest)) return true;
  if (verdict.kind !== 'parked') return false;
  const [, head = '', lines, tokens, inSeq, tail = ''] = parkNote.exec(text) ?? [];
  const middle = whole.slice(head.length, whole.length - tail.length);
  return (
    whole === `${head}${middle}${tail}` &&
    Number(inSeq) === seq &&
    Number(lines) === middle.split('\n').length &&
    Number(tokens) === countText(middle)
  );
}
