/** How commands end that only look. */
export const readingExits = 'Exit codes: 0 done, 2 not done (no such session, a store that cannot be read).';

/** How commands end that change something. */
export const writingExits =
  'Exit codes: 0 done, 2 not done (no such session, one that another process writes to, a disk that refuses).';

/** How commands end that change many sessions. */
export const manyExits =
  'Exit codes: 0 done, 1 done, but something went wrong with a session, 2 not done, 130 interrupted.';
