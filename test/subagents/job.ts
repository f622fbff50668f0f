/** What the parent is doing when its sub-agent ends. */
export const parentStates = ['idle', 'busy', 'compacting', 'hibernated', 'restarted'] as const;

/** How the sub-agent ends. */
export const childEnds = ['succeeds', 'fails', 'is killed'] as const;

/** What of {@link parentStates} a job sets. */
export type ParentState = (typeof parentStates)[number];

/** What of {@link childEnds} a job sets. */
export type ChildEnding = (typeof childEnds)[number];

/** What the parent has been through before its sub-agent ends. */
export const histories = ['plain', 'compacted', 'just woken'] as const;

/** One of {@link histories}. */
export type History = (typeof histories)[number];

/** What one process does on a store. The next one goes on where it was. */
export type Job =
  | {
      readonly do: 'play';
      readonly root: string;
      readonly parent: ParentState;
      readonly child: ChildEnding;
      readonly history: History;
      /**
       * The process is killed with this operation on the store, from 1 on, counted from the sub-agent's end; `null` for
       * never. A parent that is `restarted` is killed before its sub-agent has ended.
       */
      readonly killAt: number | null;
      /** Whether that operation is still carried out. */
      readonly isDone: boolean;
    }
  | {
      readonly do: 'recover';
      readonly root: string;
      readonly child: ChildEnding;
      /** Whether somebody talks with the parent before `recover` is called. */
      readonly wakesFirst: boolean;
    };

/** What a process says when it has come to its end. */
export interface JobDone {
  /** Operations on the store since the sub-agent ended. */
  readonly operations: number;
}
