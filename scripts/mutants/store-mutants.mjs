/**
 * A fault put into the sources of the JSONL store: in `file` the text `from`, which stands there exactly once, becomes
 * `to`. The part `part` of the crash tests, with `count` points, must find that the rule `finds` was broken.
 *
 * @typedef {{ id: string, what: string, file: string, from: string, to: string, part: string, count: number, finds: string }} StoreMutant
 */

/** @type {readonly StoreMutant[]} */
export const storeMutants = [
  {
    id: 'early-answer',
    what: 'an append is acknowledged before it is synced',
    file: 'journal-file.ts',
    from: 'if (this.options.isSynced) await file.datasync();',
    to: 'if (this.options.isSynced) setTimeout(() => void file.datasync().catch(() => {}), 1);',
    part: 'power',
    count: 200,
    finds: 'lost',
  },
  {
    id: 'early-record',
    what: 'a change of a record is acknowledged before it is synced',
    file: 'index-file.ts',
    from: 'await opened.datasync();',
    to: '',
    part: 'power',
    count: 200,
    finds: 'lost',
  },
  {
    id: 'folder-unsynced',
    what: 'no folder is synced',
    file: 'journal-path.ts',
    from: 'await folder.sync();',
    to: '',
    part: 'power',
    count: 200,
    finds: 'lost',
  },
  {
    id: 'index-name-unsynced',
    what: 'the name of an index that somebody began is never synced',
    file: 'index-file.ts',
    from: 'await syncFolder(fileSystem, dirname(file));',
    to: '',
    part: 'power',
    count: 200,
    finds: 'lost',
  },
  {
    id: 'inheritance-unsynced',
    what: 'what a killed process has left is taken for durable',
    file: 'journal-file.ts',
    from: 'this.options.isSynced && this.#lock.isInherited',
    to: 'false',
    part: 'every-byte',
    count: 40,
    finds: 'lost',
  },
  {
    id: 'torn-accepted',
    what: 'an append of which a part was written counts',
    file: 'journal-end.ts',
    from: 'record.more === 0',
    to: 'record.more >= 0',
    part: 'every-byte',
    count: 40,
    finds: 'append',
  },
  {
    id: 'checksum-ignored',
    what: 'checksums are not looked at',
    file: 'sealed-line.ts',
    from: 'if (crc32(bytes.subarray(0, crcAt)) !== crc) return null;',
    to: 'if (Number.isNaN(crc)) return null;',
    part: 'flips',
    count: 200,
    finds: 'lost',
  },
  {
    id: 'sync-retried',
    what: 'a sync that failed is tried again on the same file',
    file: 'journal-file.ts',
    from: 'if (this.options.isSynced) await file.datasync();',
    to: 'if (this.options.isSynced) await file.datasync().catch(() => file.datasync());',
    part: 'failed-syncs',
    count: 20,
    finds: 'lost',
  },
];
