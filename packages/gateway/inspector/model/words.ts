/** A number of tokens in few characters: `980`, `12.4k`, `1.2M`. */
export function shortNumber(value: number): string {
  if (Math.abs(value) < 1_000) return String(Math.round(value));
  const [scaled, unit] = Math.abs(value) < 999_950 ? [value / 1_000, 'k'] : [value / 1_000_000, 'M'];
  return `${scaled.toFixed(1).replace(/\.0$/, '')}${unit}`;
}

/** A number with its thousands apart. */
export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A moment, in the time of whoever looks. */
export function momentText(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** Why a message is, or is not, in a request: in words for people who do not know the rules. */
export function verdictWords(kind: string): string {
  const words: Readonly<Record<string, string>> = {
    kept: 'It was sent as it is.',
    edited: 'It was sent with another text in its place.',
    cleared: 'Its content was cleared: a short text says so in its place.',
    parked: 'It was put aside: a short text says where it can be read.',
    summarised: 'It was not sent itself: the summary of a compaction stands for it.',
    dropped: 'It was left out of this request.',
    'off-path': 'It belongs to a branch that was left: the conversation went on from an earlier place.',
  };
  return words[kind] ?? kind;
}

/** A moment in few characters: the time of one of today, else the day. */
export function shortMoment(at: number): string {
  const [then, today] = [new Date(at), new Date()];
  if (then.toDateString() === today.toDateString()) return then.toLocaleTimeString(undefined, { timeStyle: 'short' });
  return then.toLocaleDateString(undefined, { dateStyle: 'medium' });
}
