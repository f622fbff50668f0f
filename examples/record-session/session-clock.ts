/** Monday, nine o'clock. */
const startAt = Date.parse('2026-03-02T09:00:00Z');

/** The time of the recording: it passes as it would have in the session, and is the same in every recording. */
export interface SessionClock {
  now(): number;
  /** `09:41:07`, for the output of test runs. */
  timeOfDay(): string;
  /** The developer thinks, types, or is away. */
  pause(minutes: number): void;
  /** The night passes. */
  waitUntil(time: string): void;
  /** The model writes. */
  write(tokens: number): void;
  /** A tool runs. */
  work(seconds: number): void;
  /** A number in [0, 1), the next of a fixed sequence. */
  random(): number;
}

/** Makes a clock that stands at the beginning of the session. */
export function createSessionClock(): SessionClock {
  let at = startAt;
  let state = 20260302;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pass = (ms: number): void => {
    at += Math.round(ms);
  };
  return {
    now: () => at,
    timeOfDay: () => new Date(at).toISOString().slice(11, 19),
    pause: (minutes) => pass(minutes * 60_000 + random() * 25_000),
    waitUntil: (time) => {
      at = Date.parse(time);
    },
    write: (tokens) => pass(1_400 + tokens * 16 + random() * 1_800),
    work: (seconds) => pass(seconds * 1_000 * (0.8 + random() * 0.6) + 35),
    random,
  };
}
