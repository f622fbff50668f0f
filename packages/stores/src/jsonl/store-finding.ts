/** What can be done about a finding. */
export interface FindingRepair {
  /**
   * - `rewrite`: a journal is written anew; `reopen`: it is opened as a writer does, which puts its end right, and removes
   *   what stands around it.
   * - `index-rewrite`, `index-reopen`: the same of an index; `index-replace`: what stands in its place goes first.
   * - `archive-leftover`: what a move into an archive has left is removed.
   * - `record`: a record is made from the journal. `rights`: those of others are taken away.
   */
  readonly how:
    | 'rewrite'
    | 'reopen'
    | 'index-rewrite'
    | 'index-reopen'
    | 'index-replace'
    | 'archive-leftover'
    | 'record'
    | 'rights';
  /** The file that it is done to: of what stands beside a journal or an index, that one. */
  readonly target: string;
  /** What is done, as an imperative sentence. */
  readonly text: string;
}

/** Something about the files of a store that is not as the store would leave it, or worth knowing. */
export interface StoreFinding {
  /** `error`: something is lost or cannot be read. `warning`: somebody should look at it. `note`: as it may be. */
  readonly level: 'error' | 'warning' | 'note';
  /** What it is, for programs: a few words in kebab-case. The README lists them. */
  readonly code: string;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The file or folder that it is about. */
  readonly file: string;
  /** What it is, as a sentence. */
  readonly text: string;
  /** What to do about it, as an imperative sentence. */
  readonly fix: string;
  /** What {@link repairStore} does about it; absent where that takes somebody who knows. */
  readonly repair?: FindingRepair | undefined;
  /** How many bytes are concerned. */
  readonly bytes?: number | undefined;
}

/** Whose file a finding is about. */
export type FindingPlace = Pick<StoreFinding, 'agentId' | 'sessionId' | 'file'>;

/** What a finding of one kind says. */
interface FindingKind {
  readonly level: StoreFinding['level'];
  readonly fix: string;
  readonly repair?: Omit<FindingRepair, 'target'>;
}

const rewrite = {
  how: 'rewrite',
  text: 'Write the journal anew with all that is read of it; move every other byte to quarantine first.',
} as const;
const header = {
  how: 'rewrite',
  text: 'Write the journal anew, with a header made of what the index and the entries say.',
} as const;
const reopen = { how: 'reopen', text: 'Open the journal for writing and close it again.' } as const;
const rebuild = {
  how: 'index-rewrite',
  text: 'Write the index anew, and make lost records from the journals; move every other byte to quarantine first.',
} as const;
const nothing = 'Nothing needs to be done.';
const restore = 'Restore the file from a backup if you have one; all other lines are read.';

/** What a finding can be. */
export type FindingCode =
  | 'append-torn'
  | 'archive-beside-journal'
  | 'archive-unreadable'
  | 'block-damaged'
  | 'counters-ahead'
  | 'counters-behind'
  | 'entry-duplicate'
  | 'entry-missing'
  | 'entry-newer'
  | 'examined'
  | 'file-unknown'
  | 'folder-unreadable'
  | 'header-damaged'
  | 'header-missing'
  | 'index-damaged'
  | 'index-empty'
  | 'index-missing'
  | 'index-unreadable'
  | 'journal-empty'
  | 'journal-not-a-file'
  | 'journal-unreadable'
  | 'journal-without-record'
  | 'keep-wrong'
  | 'line-damaged'
  | 'line-feed-missing'
  | 'line-foreign'
  | 'lines-empty'
  | 'lines-foreign-ends'
  | 'lines-glued'
  | 'link-outside'
  | 'lock-live'
  | 'lock-stale'
  | 'mark-foreign'
  | 'permissions-open'
  | 'quarantine-kept'
  | 'record-without-journal'
  | 'temporary-file';

/** Every code with how grave it is and what to do. */
const findingKinds: Readonly<Record<FindingCode, FindingKind>> = {
  'append-torn': {
    level: 'warning',
    fix: 'Open the session for writing: the bytes are moved to quarantine.',
    repair: { how: 'reopen', text: 'Move the bytes to quarantine, and cut them off.' },
  },
  'archive-beside-journal': {
    level: 'warning',
    fix: 'Open the session for writing: an archive that holds no more than the journal goes. Look at one that stays.',
  },
  'archive-unreadable': {
    level: 'error',
    fix: 'Restore the archive from a backup, or move this elsewhere if it is none of yours: no session is made of it.',
  },
  'block-damaged': {
    level: 'error',
    fix: 'Restore the archive from a backup if you have one. Restoring the session keeps all other blocks, and the bytes of this one.',
  },
  'counters-ahead': { level: 'error', fix: 'Restore the journal from a backup; entries that were counted are gone.' },
  'counters-behind': { level: 'note', fix: 'Nothing needs to be done: opening the session counts the rest.' },
  'entry-duplicate': {
    level: 'error',
    fix: 'Remove the second line by hand if the first one is right: that one is read.',
    repair: rewrite,
  },
  'entry-missing': { level: 'error', fix: restore },
  'entry-newer': { level: 'note', fix: 'Use a newer version to see what it says; it is kept and passed over.' },
  examined: { level: 'note', fix: nothing },
  'file-unknown': { level: 'note', fix: 'Move the file elsewhere if you do not know it either.' },
  'folder-unreadable': { level: 'error', fix: 'Give this user read access to the folder, or check the disk.' },
  'header-damaged': {
    level: 'warning',
    fix: 'Restore the first line from a backup; until then one is made up.',
    repair: header,
  },
  'header-missing': {
    level: 'warning',
    fix: 'Restore the first line from a backup; until then one is made up.',
    repair: header,
  },
  'index-damaged': {
    level: 'error',
    fix: 'Change any record: bytes go to quarantine, and lost records are made anew.',
    repair: rebuild,
  },
  'index-empty': { level: 'error', fix: 'Change any record: all are made anew from the journals.', repair: rebuild },
  'index-missing': {
    level: 'warning',
    fix: 'Change any record: all are made anew from the journals.',
    repair: rebuild,
  },
  'index-unreadable': {
    level: 'error',
    fix: 'Give this user read access, or look for what stands in its place.',
    repair: {
      how: 'index-replace',
      text: 'Give its owner the right to read it, or move what is no file aside; then write the index anew.',
    },
  },
  'journal-empty': {
    level: 'error',
    fix: 'Restore the file from a backup; opening it for writing begins it anew.',
    repair: { how: 'reopen', text: 'Begin the journal with a header made of what the index says.' },
  },
  'journal-not-a-file': { level: 'error', fix: 'Move it elsewhere: a session of that id cannot be opened.' },
  'journal-unreadable': { level: 'error', fix: 'Give this user read access to the file, or check the disk.' },
  'journal-without-record': {
    level: 'warning',
    fix: 'Open the session with a host: it stores the record.',
    repair: { how: 'record', text: 'Make the record from the journal.' },
  },
  'keep-wrong': { level: 'note', fix: 'Nothing needs to be done: the entry is searched for.' },
  'line-damaged': { level: 'error', fix: restore, repair: rewrite },
  'line-feed-missing': { level: 'note', fix: 'Nothing needs to be done: the next writer adds it.', repair: reopen },
  'line-foreign': {
    level: 'warning',
    fix: 'Find out which program writes to this file, and stop it.',
    repair: rewrite,
  },
  'lines-empty': { level: 'note', fix: nothing },
  'lines-foreign-ends': {
    level: 'warning',
    fix: 'Find out which program changed the file; its lines are read as before.',
    repair: rewrite,
  },
  'lines-glued': {
    level: 'warning',
    fix: 'Nothing needs to be done: each entry is read. Let only Varve write to the file.',
    repair: rewrite,
  },
  'link-outside': {
    level: 'error',
    fix: 'Move what it leads to into the root, or remove the link: it is not followed.',
  },
  'lock-live': { level: 'note', fix: 'Nothing needs to be done. To write, close the session there first.' },
  'lock-stale': {
    level: 'warning',
    fix: 'Nothing needs to be done: whoever opens the session next takes it over.',
    repair: { how: 'reopen', text: 'Take the lock over, sync what its owner may not have synced, and give it up.' },
  },
  'mark-foreign': {
    level: 'warning',
    fix: 'Find out which program saved the file; its lines are read as before.',
    repair: rewrite,
  },
  'permissions-open': {
    level: 'warning',
    fix: 'Take the rights of others away: chmod go= on this path.',
    repair: { how: 'rights', text: 'Take the rights of others away.' },
  },
  'quarantine-kept': { level: 'warning', fix: 'Look at the bytes, and remove the file when you need nothing of it.' },
  'record-without-journal': { level: 'warning', fix: 'Restore the journal from a backup, or leave the record.' },
  'temporary-file': {
    level: 'warning',
    fix: 'Remove the file: a write that was not finished left it.',
    repair: { how: 'reopen', text: 'Remove the file, under the lock of what it belongs to.' },
  },
};

/** What a finding says of itself, beyond its kind. */
interface FindingFacts extends FindingPlace, Pick<StoreFinding, 'text' | 'bytes'> {
  readonly level?: StoreFinding['level'];
  /** Where its repair is another one than that of its kind, or is done to another file. */
  readonly how?: FindingRepair['how'];
  readonly target?: string;
}

/** Makes a finding of a known kind. */
export function finding(code: FindingCode, { text, bytes, level, how, target, ...place }: FindingFacts): StoreFinding {
  const kind = findingKinds[code];
  const { fix, repair } = kind;
  return {
    ...{ level: level ?? kind.level, code, ...place, text, fix },
    ...(repair === undefined
      ? {}
      : { repair: { how: how ?? repair.how, target: target ?? place.file, text: repair.text } }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}
