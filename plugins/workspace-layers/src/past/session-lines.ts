import type { Entry, HeadEntry, Journal, Seq, SessionRecord, ToolContext } from '@varve/core';
import { passagesOfLines, saidLines } from './said-lines.ts';

/** A piece of what was said, without its text: that stays in the journal. */
interface PlacedPassage {
  readonly id: number;
  readonly seq: Seq;
  readonly chars: number;
}

/** Where passages are kept so that they are found by their words. */
interface PassageKeeper {
  /** Keeps a text under a new id. */
  add(text: string, place: { readonly seq: Seq; readonly ordinal: number }): number;
  remove(id: number): void;
}

/** How long reading may go on. */
type ReadingTime = Pick<ToolContext, 'signal' | 'deadline' | 'now'>;

/** A passage, or a session without any, takes this much room all the same. In UTF-16 code units. */
export const leastChars = 200;

/** The room that a passage takes. */
export function charsOf(text: string): number {
  return Math.max(leastChars, text.length);
}

/** Characters after which others get their turn: some milliseconds of work. */
const charsPerTurn = 50_000;

/** What was said in one other session, as far as it was read. */
export class SessionLines {
  readonly #keeper: PassageKeeper;
  readonly #maxChars: number;
  #updating: Promise<unknown> = Promise.resolve();
  #passages: PlacedPassage[] = [];
  #chars = 0;
  #last: { readonly seq: Seq; readonly id: string } | null = null;
  /** The record's revision when all had been read; 0 when not all has been. */
  #completeRev = 0;
  #isIncognito = false;
  #moves: { readonly fromSeq: Seq; readonly targetSeq: Seq }[] = [];
  #isOnPath: ((seq: Seq) => boolean) | null = null;

  /** @param options.maxChars  Beyond it the oldest passages go. */
  constructor(keeper: PassageKeeper, { maxChars }: { readonly maxChars: number }) {
    this.#keeper = keeper;
    this.#maxChars = maxChars;
  }

  /** What the passages take. */
  get chars(): number {
    return this.#chars;
  }

  /** Whether all was read when it was read last. */
  get isComplete(): boolean {
    return this.#completeRev > 0;
  }

  /** Whether anything may be shown: nobody knows of a session that was read in part whether it has become incognito. */
  get isOpen(): boolean {
    return this.isComplete && !this.#isIncognito;
  }

  /** Whether there can be nothing new: the journal of an archived session does not change without its record. */
  isCurrent({ state, rev }: SessionRecord): boolean {
    return state === 'archived' && rev === this.#completeRev;
  }

  /** Whether a message leads to the head; what was rewound is not shown. */
  isOnPath(seq: Seq): boolean {
    this.#isOnPath ??= pathAfter(this.#moves);
    return this.#isOnPath(seq);
  }

  /** Messages that may be shown, in order. */
  seqs(): readonly Seq[] {
    return [...new Set(this.#passages.map(({ seq }) => seq))].filter((seq) => this.isOnPath(seq));
  }

  /**
   * Reads what has come since the last time; where the time is up, the next one goes on. One at a time.
   *
   * @throws  what the store throws.
   */
  update(journal: Journal, record: SessionRecord, time: ReadingTime): Promise<void> {
    const update = this.#updating.then(() => this.#update(journal, record, time));
    this.#updating = update.catch(() => undefined);
    return update;
  }

  /** Lets go of everything when what is being read has been read. */
  drop(): void {
    this.#updating = this.#updating.then(() => this.clear());
  }

  /** Lets go of everything; not while something is read. */
  clear(): void {
    for (const { id } of this.#passages.splice(0)) this.#keeper.remove(id);
    this.#chars = 0;
    this.#last = null;
    this.#completeRev = 0;
    this.#isIncognito = false;
    this.#moves = [];
    this.#isOnPath = null;
  }

  async #update(journal: Journal, { rev }: SessionRecord, time: ReadingTime): Promise<void> {
    let isWhole = false;
    try {
      if ((await this.#readOn(journal, time)) === 'other') {
        this.clear();
        await this.#readOn(journal, time);
      }
      // A fork that was not finished looks like a whole session, and lacks what was said of it at the end.
      isWhole = !isOver(time) && (this.#last?.seq ?? 0) >= (journal.header.forkedFrom?.seq ?? 0);
    } finally {
      this.#completeRev = isWhole ? rev : 0;
    }
  }

  /** Reads behind the last entry; `other` when that one is not in the journal, which is another one then. */
  async #readOn(journal: Journal, time: ReadingTime): Promise<'read' | 'other'> {
    const last = this.#last;
    let isKnown = last === null;
    let chars = 0;
    for await (const entry of journal.read(last === null ? {} : { fromSeq: last.seq })) {
      if (!isKnown) {
        if (entry.id !== last?.id) return 'other';
        isKnown = true;
        continue;
      }
      if (isOver(time)) return 'read';
      chars += this.#add(entry);
      if (chars < charsPerTurn) continue;
      chars = 0;
      await turnOfOthers();
    }
    return isKnown ? 'read' : 'other';
  }

  /** Adds what an entry says, and returns how many characters it has. */
  #add(entry: Entry): number {
    this.#last = { seq: entry.seq, id: entry.id };
    if (entry.type === 'setting' && entry.name === 'incognito') this.#isIncognito = entry.value === true;
    if (entry.type === 'head') this.#moveHead(entry);
    if (this.#isIncognito) return 0;
    let chars = 0;
    for (const [ordinal, text] of passagesOfLines(saidLines(entry)).entries()) {
      const id = this.#keeper.add(text, { seq: entry.seq, ordinal });
      this.#passages.push({ id, seq: entry.seq, chars: charsOf(text) });
      chars += charsOf(text);
    }
    this.#chars += chars;
    if (this.#chars > this.#maxChars * 1.25) this.#dropOldest();
    return chars;
  }

  #moveHead({ seq, targetSeq }: HeadEntry): void {
    this.#moves.push({ fromSeq: seq + 1, targetSeq });
    this.#isOnPath = null;
  }

  #dropOldest(): void {
    let count = 0;
    for (; this.#chars > this.#maxChars; count += 1) this.#chars -= this.#passages[count]?.chars ?? this.#chars;
    for (const { id } of this.#passages.splice(0, count)) this.#keeper.remove(id);
  }
}

/** Tells which entries lead to the head: from the newest move back, each stretch ends where its move has led to. */
function pathAfter(moves: readonly { readonly fromSeq: Seq; readonly targetSeq: Seq }[]): (seq: Seq) => boolean {
  const stretches: { readonly from: Seq; readonly to: Seq }[] = [];
  let to = Infinity;
  for (const { fromSeq, targetSeq } of moves.toReversed()) {
    if (to < fromSeq) continue;
    stretches.push({ from: fromSeq, to });
    to = targetSeq;
  }
  stretches.push({ from: 1, to });
  return (seq) => stretches.some((stretch) => stretch.from <= seq && seq <= stretch.to);
}

function isOver({ signal, deadline, now }: ReadingTime): boolean {
  return signal.aborted || now() > deadline;
}

/** Lets timers, and whoever else waits, have their turn. */
function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
