import { createInterface, type Interface, type Key } from 'node:readline';
import { Readable } from 'node:stream';
import type { CliInput, CliStream } from '../terminal/cli-io.ts';

/** What somebody does at the keyboard. `interrupt` is Ctrl-C; `end` is Ctrl-D, or the end of what is piped in. */
type LineEvent =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' };

/** Where lines come from. */
export interface LineReader extends AsyncIterable<LineEvent>, Disposable {
  /** Shows the prompt, when there is a terminal. */
  prompt(): void;
  /** Prints something while somebody may be typing: above the prompt, which is shown again with what was typed. */
  interject(print: () => Promise<void>): Promise<void>;
}

/** What lines are read from, and how. */
export interface LineReaderOptions {
  readonly input: CliInput;
  readonly output: CliStream;
  /** What stands before each line. */
  readonly prompt: string;
  /** Lines that the up arrow brings back, newest first. @default none */
  readonly history?: readonly string[] | undefined;
}

/** A terminal that is told so marks what is pasted, so that its line ends are not taken for the end of a message. */
const [markPastes, unmarkPastes] = ['\u001B[?2004h', '\u001B[?2004l'];

/** To the beginning of the line, and nothing in it. */
const clearLine = '\r\u001B[K';

/**
 * Reads messages: a line each, several where all but the last end in a backslash, or were pasted at once. Lines that come
 * while nobody asks wait.
 */
export function readLines({ input, output, prompt, history = [] }: LineReaderOptions): LineReader {
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const lines = createInterface({
    input,
    output,
    prompt,
    terminal: isTerminal,
    history: [...history],
    historySize: 200,
  });
  const events = lineEvents();
  const whole = joinLines((text) => events.put({ kind: 'message', text }));
  let isPrompting = false;
  lines.on('line', (line) => {
    isPrompting = false;
    whole.add(line);
  });
  lines.on('SIGINT', () => {
    // As in shells, it clears what is typed; only where nothing is, it means something else.
    if (lines.line === '') events.put({ kind: 'interrupt' });
    else for (const name of ['e', 'u']) lines.write(null, { ctrl: true, name });
  });
  lines.on('close', () => {
    whole.end();
    events.put({ kind: 'end' });
  });
  const stopPastes = isTerminal ? watchPastes({ input, output, lines }, whole.setPasting) : undefined;
  return {
    prompt: () => {
      isPrompting = true;
      if (isTerminal) lines.prompt(true);
    },
    interject: async (print) => {
      const isOver = isTerminal && isPrompting;
      if (isOver) output.write(clearLine);
      await print();
      if (isOver && isPrompting) lines.prompt(true);
    },
    [Symbol.asyncIterator]: events.read,
    [Symbol.dispose]: () => {
      stopPastes?.();
      lines.close();
    },
  };
}

/** What was done and not yet read, up to the end. */
function lineEvents(): { put(event: LineEvent): void; read(): AsyncGenerator<LineEvent> } {
  const waiting: LineEvent[] = [];
  let wake: (() => void) | null = null;
  return {
    put: (event) => {
      waiting.push(event);
      wake?.();
    },
    async *read() {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        if (event?.kind === 'end') return;
        if (waiting.length > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** An input that is at its end: for a command line that was given none. */
export function emptyInput(): CliInput {
  return Readable.from([]);
}

interface JoinedLines {
  add(line: string): void;
  setPasting(isPasting: boolean): void;
  /** Hands out what is begun: nothing more comes. */
  end(): void;
}

function joinLines(done: (text: string) => void): JoinedLines {
  let begun: string[] = [];
  let isPasting = false;
  const end = (): void => {
    if (begun.length === 0) return;
    const text = begun.join('\n');
    begun = [];
    done(text);
  };
  return {
    add: (line) => {
      const goesOn = line.endsWith('\\');
      begun.push(goesOn ? line.slice(0, -1) : line);
      if (!goesOn && !isPasting) end();
    },
    setPasting: (now) => {
      isPasting = now;
    },
    end,
  };
}

function watchPastes(
  { input, output, lines }: { readonly input: CliInput; readonly output: CliStream; readonly lines: Interface },
  tell: (isPasting: boolean) => void,
): () => void {
  const onKey = (_text: string | undefined, key: Key | undefined): void => {
    if (key?.name === 'paste-start') tell(true);
    if (key?.name === 'paste-end') tell(false);
  };
  input.prependListener('keypress', onKey);
  output.write(markPastes);
  const stop = (): void => {
    input.removeListener('keypress', onKey);
    output.write(unmarkPastes);
  };
  lines.once('close', stop);
  return () => {
    lines.removeListener('close', stop);
    stop();
  };
}
