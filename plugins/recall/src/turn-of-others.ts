/** Characters after which timers and other sessions get their turn: some milliseconds of work. */
const charactersPerTurn = 64_000;

/** Work that lets others have their turn now and then. */
export interface SharedTime {
  /** Tells of work that was done; true when others should have their turn. */
  isUp(characters: number): boolean;
}

/** Begins to count. */
export function createSharedTime(): SharedTime {
  let spent = 0;
  return {
    isUp: (characters) => {
      spent += characters;
      if (spent < charactersPerTurn) return false;
      spent = 0;
      return true;
    },
  };
}

/** Lets timers, and whoever else waits, have their turn. */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
