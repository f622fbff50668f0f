/** Names tests: one by its whole title, its parts joined by ` > `; or all of a suite, by the title of the suite. */
export interface TestReference {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly title: string;
}

/** Something that goes wrong in systems of this kind, and what holds here instead. */
export interface CaseRow {
  /** Stable name of the case. */
  readonly id: string;
  /** What goes wrong, in one sentence. */
  readonly wrong: string;
  /** What holds here, in one sentence. */
  readonly right: string;
  /** Tests that fail as soon as it does not hold; none for a case that waits. */
  readonly tests: readonly TestReference[];
  /** Which part has to be there before the case can be shown. @default it is shown */
  readonly later?: string | undefined;
}

/** Cases of one kind. */
export interface CaseFamily {
  readonly title: string;
  readonly rows: readonly CaseRow[];
}

/** References to tests of one file. */
export function inFile(file: string, ...titles: readonly string[]): readonly TestReference[] {
  return titles.map((title) => ({ file, title }));
}
