import type { Milliseconds } from '@varve/core';

/** A moment in UTC, to the minute: the same on every machine. */
export function momentText(moment: Milliseconds): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? '?' : date.toISOString().slice(0, 16).replace('T', ' ');
}

/** The last moment that a date can have. */
const lastMoment = 8_640_000_000_000_000;

/** A moment in the form of ISO 8601; one beyond what a date can have is the last that it can. */
export function isoText(moment: Milliseconds): string {
  return new Date(Math.min(lastMoment, Math.max(-lastMoment, moment))).toISOString();
}
