/** The number of a file or folder of a disk in memory; it stays the same when the file gets another name. */
export type NodeId = number;

/** A name in a folder. */
export interface DiskName {
  readonly folder: NodeId;
  readonly name: string;
}

/** Something that was done to a disk. Times are in milliseconds since 1970. */
export type DiskChange =
  | {
      readonly kind: 'make';
      readonly at: DiskName;
      readonly node: NodeId;
      readonly isFolder: boolean;
      readonly mode: number;
      readonly time: number;
    }
  /** Bytes are appended: a write is one change, however many buffers it had. */
  | { readonly kind: 'write'; readonly node: NodeId; readonly bytes: Buffer; readonly time: number }
  | { readonly kind: 'truncate'; readonly node: NodeId; readonly length: number; readonly time: number }
  | { readonly kind: 'rename'; readonly from: DiskName; readonly to: DiskName }
  | { readonly kind: 'remove'; readonly at: DiskName }
  | { readonly kind: 'touch'; readonly node: NodeId; readonly time: number }
  /** What a file holds, or the names in a folder, survive a loss of power from now on. */
  | { readonly kind: 'sync'; readonly node: NodeId }
  /**
   * A sync failed. What had not been synced is not written by a later one either, which says nothing of it: systems forget
   * that such bytes are still to be written.
   */
  | { readonly kind: 'fail-sync'; readonly node: NodeId };
