import { type Entry, type Message, type MessagePart, partsOfMessage, textOfOutput } from '@varve/core';
import type { createColors } from 'picocolors';
import { cutLine } from '../terminal/cut-line.ts';
import { longNumber } from '../terminal/format-number.ts';
import { momentText } from '../terminal/moment-text.ts';
import { printableJson } from '../terminal/printable-text.ts';

/** Longest text of an entry that is looked at where lines are cut: one line of a terminal does not show more. */
const mostCharacters = 2_000;

/** An entry of a journal in one line: its number, its time, who, and the beginning of what it says. */
export function entryLine(
  entry: Entry,
  { columns, colours }: { readonly columns: number; readonly colours: ReturnType<typeof createColors> },
): string {
  const { who, text } = aboutEntry(entry, columns === Infinity ? Infinity : mostCharacters);
  const front = `${`#${entry.seq}`.padStart(6)} ${momentText(entry.at)}`;
  const name = cutLine(who, 10).padEnd(10);
  const rest = Math.max(20, columns - front.length - name.length - 2);
  return `${colours.dim(front)} ${paintOf(entry, colours)(name)} ${cutLine(text, rest)}`.trimEnd();
}

function paintOf(entry: Entry, colours: ReturnType<typeof createColors>): (text: string) => string {
  if (entry.type === 'compaction') return colours.yellow;
  if (entry.type !== 'message') return colours.dim;
  const { role } = entry.message;
  return role === 'user' ? colours.cyan : role === 'assistant' ? colours.green : colours.magenta;
}

function aboutEntry(entry: Entry, most: number): { readonly who: string; readonly text: string } {
  switch (entry.type) {
    case 'message':
      return { who: entry.message.role, text: textOfMessage(entry.message, most) };
    case 'compaction': {
      const { range, tokensBefore, tokensAfter, by, trigger } = entry;
      const sizes = `${longNumber(tokensBefore)} to ${longNumber(tokensAfter)} tokens`;
      return {
        who: 'compaction',
        text: `#${range.from.seq} to #${range.to.seq}, ${sizes}, by ${by.plugin} (${trigger})`,
      };
    }
    case 'request':
      return { who: 'request', text: `${longNumber(entry.tokens)} tokens for ${entry.model}` };
    case 'setting':
      return { who: 'setting', text: `${entry.name} ${shortJson(entry.value, most)}` };
    case 'state':
      return {
        who: 'state',
        text: entry.text === null ? `${entry.slot} is cleared` : `${entry.slot}: ${oneLine(entry.text, most)}`,
      };
    case 'edit':
      return { who: 'edit', text: `${entry.edits.length} by ${entry.by}` };
    case 'head':
      return { who: 'head', text: `goes on from #${entry.targetSeq} (${entry.reason})` };
    case 'revoke':
      return { who: 'undo', text: `takes ${entry.targetId} back` };
    default:
      return { who: 'record', text: `${entry.type} ${shortJson(entry.data, most)}` };
  }
}

function textOfMessage(message: Message, most: number): string {
  const parts = partsOfMessage(message).map((part) => textOfPart(part, most));
  return oneLine(parts.join(' '), most);
}

function textOfPart(part: MessagePart, most: number): string {
  switch (part.type) {
    case 'text':
      return part.text.slice(0, most);
    case 'reasoning':
      return `(thinks: ${part.text.slice(0, most)})`;
    case 'tool-call':
      return `[calls ${part.toolName} ${shortJson(part.input, most)}]`;
    case 'tool-result':
      return `[${part.toolName}: ${textOfOutput(part.output).slice(0, most)}]`;
    default:
      return `[${part.type}]`;
  }
}

function shortJson(value: unknown, most: number): string {
  return typeof value === 'string' ? value.slice(0, most) : printableJson(value).slice(0, most);
}

function oneLine(text: string, most: number): string {
  return text.slice(0, most).replaceAll(/\s+/g, ' ').trim();
}
