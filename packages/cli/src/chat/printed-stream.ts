import { printableLines } from '../terminal/printable-text.ts';

/** A text that comes in pieces, made safe to print: no piece may hold the first half of what is one character. */
export interface PrintedStream {
  /** What of this piece may be printed now. */
  next(piece: string): string;
  /** What was held back. */
  end(): string;
}

/** Makes the stream of one answer. */
export function createPrintedStream(): PrintedStream {
  let held = '';
  return {
    next: (piece) => {
      const text = held + piece;
      const last = text.charCodeAt(text.length - 1);
      held = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
      return printable(held === '' ? text : text.slice(0, -1));
    },
    end: () => {
      const text = printable(held);
      held = '';
      return text;
    },
  };
}

/** Tabs as spaces, since a tab may jump over what stands there; without the returns of other machines' line ends. */
function printable(text: string): string {
  return printableLines(text.replaceAll('\r', '').replaceAll('\t', '    '));
}
