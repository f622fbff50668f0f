import type { findCutPoint as FindCutPoint } from '@mariozechner/pi-coding-agent';
import { tokensOf } from '../judge/count-tokens.ts';
import type { JudgedMessage } from '../judge/judged-prompt.ts';
import { sentencesOf } from '../judge/sentences.ts';
import type { Turn } from '../sets/trajectory.ts';
import { choosingRun, madeMessage, repairFront, shortened, sizeOf, tailStart } from './choose-messages.ts';
import type { Strategy } from './strategy.ts';

type Entry = Parameters<typeof FindCutPoint>[0][number];

/** Shares of the window by pi's defaults: of 200,000 tokens it keeps 16,384 free, keeps 20,000 and writes 13,000. */
const defaults = { trigger: 0.918, keep: 0.1, summary: 0.065 };
const larger = { trigger: 0.95, keep: 0.5, summary: 0.2 };
const filesShare = 0.05;
const longestLine = 400;
/** Room for a stub in front and the frame of the summary. */
const spare = 60;

/** pi's own choice of the cut. Its summary is a model's; here the newest lines of user and assistant stand in for it. */
export async function piStrategies(): Promise<readonly Strategy[]> {
  const { findCutPoint } = await import('@mariozechner/pi-coding-agent');
  const source = '@mariozechner/pi-coding-agent 0.73.1 findCutPoint; the newest lines stand in for its summary';
  const strategyOf = (name: string, shares: typeof defaults): Strategy => ({
    name,
    family: 'peer',
    source,
    open: async (budget) => {
      const state: PiState = { start: 0, summary: null, entries: [] };
      return choosingRun((turns) => request(state, turns, { budget, shares, findCutPoint }));
    },
  });
  return [strategyOf('pi, its ratios', defaults), strategyOf('pi, keeps 50 %', larger)];
}

interface PiState {
  start: number;
  summary: JudgedMessage | null;
  readonly entries: Entry[];
}

interface PiOptions {
  readonly budget: number;
  readonly shares: typeof defaults;
  readonly findCutPoint: typeof FindCutPoint;
}

function request(state: PiState, turns: readonly Turn[], options: PiOptions): readonly JudgedMessage[] {
  const { budget, shares, findCutPoint } = options;
  for (const turn of turns.slice(state.entries.length)) state.entries.push(entryOf(turn));
  const front = (): readonly JudgedMessage[] => (state.summary === null ? [] : [state.summary]);
  if (sizeOf([...front(), ...turns.slice(state.start)]) > budget * shares.trigger) {
    const keepTokens = Math.floor(budget * shares.keep);
    const { firstKeptEntryIndex } = findCutPoint(state.entries, state.start, turns.length, keepTokens);
    const cut = firstKeptEntryIndex > state.start ? firstKeptEntryIndex : turns.length - 1;
    state.start = Math.max(state.start, cut);
    state.summary = summaryOf(turns.slice(0, state.start), { budget, shares });
  }
  const tail = turns.slice(state.start);
  const room = budget - sizeOf(front()) - spare;
  const kept = tail.slice(tailStart(tail, room));
  const newest = turns.at(-1);
  const rest = kept.length > 0 || newest === undefined ? kept : [shortened(newest, room)];
  return repairFront([...front(), ...rest]);
}

function entryOf({ role, body }: Turn): Entry {
  const content = [{ type: 'text', text: body }];
  const message = { role: role === 'tool' ? 'toolResult' : role, content };
  return { type: 'message', message } as unknown as Entry;
}

function summaryOf(turns: readonly Turn[], { budget, shares }: Pick<PiOptions, 'budget' | 'shares'>): JudgedMessage {
  const lines = newestLines(turns, budget * shares.summary - spare / 2).join('\n');
  let files = filesOf(turns);
  while (files.length > 0 && tokensOf(files.join('\n')) > budget * filesShare) {
    files = files.slice(Math.ceil(files.length / 10));
  }
  const text = `<summary>\n${lines}\n<read-files>\n${files.join('\n')}\n</read-files>\n</summary>`;
  return madeMessage(
    'user',
    `The conversation history before this point was compacted into the following summary:\n${text}`,
  );
}

function newestLines(turns: readonly Turn[], most: number): readonly string[] {
  const lines: string[] = [];
  let size = 0;
  for (const turn of turns.toReversed()) {
    if (turn.role === 'tool') continue;
    for (const sentence of sentencesOf(turn.body).toReversed()) {
      const line = sentence.slice(0, longestLine);
      size += tokensOf(line) + 1;
      if (size > most) return lines.toReversed();
      lines.push(line);
    }
  }
  return lines.toReversed();
}

function filesOf(turns: readonly Turn[]): readonly string[] {
  const paths = turns.flatMap(({ calls }) =>
    calls.flatMap(({ name, text }) =>
      /read|write|edit|str_replace/i.test(name) ? (/(?:file_?path|path): (\S+)/.exec(text)?.[1] ?? []) : [],
    ),
  );
  return [...new Set(paths)];
}
