import { type Entry, type Message, type MessagePart, partsOfMessage, textOfOutput } from '@varve/core';
import type { createColors } from 'picocolors';
import { cutLine } from '../terminal/cut-line.ts';
import { longNumber } from '../terminal/format-number.ts';
import { momentText } from '../terminal/moment-text.ts';
import { printableJson } from '../terminal/printable-text.ts';

/** Longest text of an entry that is looked at: one line does not show more. */
const mostCharacters = 2_000;

/** An entry of a journal in one line: its number, its time, who, and the beginning of what it says. */
export function entryLine(
  entry: Entry,
  { columns, colours }: { readonly columns: number; readonly colours: ReturnType<typeof createColors> },
): string {
  const { who, text } = aboutEntry(entry);
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

function aboutEntry(entry: Entry): { readonly who: string; readonly text: string } {
  switch (entry.type) {
    case 'message':
      return { who: entry.message.role, text: textOfMessage(entry.message) };
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
      return { who: 'setting', text: `${entry.name} ${shortJson(entry.value)}` };
    case 'state':
      return {
        who: 'state',
        text: entry.text === null ? `${entry.slot} is cleared` : `${entry.slot}: ${oneLine(entry.text)}`,
      };
    case 'edit':
      return { who: 'edit', text: `${entry.edits.length} by ${entry.by}` };
    case 'head':
      return { who: 'head', text: `goes on from #${entry.targetSeq} (${entry.reason})` };
    case 'revoke':
      return { who: 'undo', text: `takes ${entry.targetId} back` };
    default:
      return { who: 'record', text: `${entry.type} ${shortJson(entry.data)}` };
  }
}

function textOfMessage(message: Message): string {
  return oneLine(partsOfMessage(message).map(textOfPart).join(' '));
}

function textOfPart(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text.slice(0, mostCharacters);
    case 'reasoning':
      return `(thinks: ${part.text.slice(0, mostCharacters)})`;
    case 'tool-call':
      return `[calls ${part.toolName} ${shortJson(part.input)}]`;
    case 'tool-result':
      return `[${part.toolName}: ${textOfOutput(part.output).slice(0, mostCharacters)}]`;
    default:
      return `[${part.type}]`;
  }
}

function shortJson(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, mostCharacters) : printableJson(value).slice(0, mostCharacters);
}

function oneLine(text: string): string {
  return text.slice(0, mostCharacters).replaceAll(/\s+/g, ' ').trim();
}
