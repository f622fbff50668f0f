import type { Milliseconds } from '@varve/core';

/** A duration for people, rounded up to minutes, or to hours where it is two days or more: `12 min`, `3 h 5 min`. */
export function durationText(duration: Milliseconds): string {
  if (duration < 60_000) return 'less than a minute';
  const minutes = Math.ceil(duration / 60_000);
  const hours = Math.ceil(minutes / 60);
  if (hours >= 48) return [`${Math.floor(hours / 24)} d`, `${hours % 24} h`].filter(isSome).join(' ');
  return [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`].filter(isSome).join(' ');
}

function isSome(part: string): boolean {
  return !part.startsWith('0 ');
}
