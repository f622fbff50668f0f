import type { Clock } from '../clock.ts';
import type { Milliseconds } from '../units.ts';

/** What has waited for so long gets a timer of its own. */
export const shortWaitMs: Milliseconds = 50;

/** Somebody who waits for code of a plugin. */
export interface Waiting {
  /** Its place among those that wait; kept by the watch. */
  place: number;
  /** Called once, when it has waited longer than most do. It is not watched any more then. */
  waitsLong(): void;
}

/**
 * Watches over those who have just begun to wait, with one timer for all: nearly all have their answer before it, and a
 * timer for each would take longer than what they wait for. The timer is left to run out when nobody waits any more.
 */
export class DeadlineWatch {
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #isSet = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(waiting: Waiting): void {
    waiting.place = this.#waiting.push(waiting) - 1;
    if (this.#isSet) return;
    this.#isSet = true;
    this.#clock.after(shortWaitMs, () => {
      const long = this.#waiting;
      this.#waiting = [];
      this.#isSet = false;
      for (const one of long) one.place = -1;
      for (const one of long) one.waitsLong();
    });
  }

  remove(waiting: Waiting): void {
    const { place } = waiting;
    if (place < 0) return;
    waiting.place = -1;
    const last = this.#waiting.pop();
    if (last === undefined || last === waiting) return;
    this.#waiting[place] = last;
    last.place = place;
  }
}
