/** A rule that a store did not keep, and how. */
export interface Fault {
  readonly rule:
    | 'header'
    | 'bad-line'
    | 'append'
    | 'gap'
    | 'parent'
    | 'duplicated'
    | 'lost'
    | 'changed'
    | 'seq-twice'
    | 'forgotten-text'
    | 'half-forgotten'
    | 'ran-twice'
    | 'ran-unstored'
    | 'key-twice'
    | 'key-missing'
    | 'unproved'
    | 'torn-left'
    | 'torn-destroyed'
    | 'read-otherwise'
    | 'worker';
  readonly text: string;
}
