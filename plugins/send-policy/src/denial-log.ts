import { cutText, type Delivery, type Milliseconds } from '@varve/core';
import type { Decision } from './decide.ts';

const hourMs: Milliseconds = 3_600_000;

/** Records of one session within an hour. */
const mostRecords = 100;

/** Sessions that are remembered; of one that was forgotten a sign of life may be recorded once more. */
const mostSessions = 1_000;

/** Longest text of a record. */
const mostCharacters = 300;

/** Come often and say nothing. */
const signsOfLife = ['typing', 'reaction'];

/** What is recorded of something that was denied. A type, since it is stored: JSON. */
type Denial = {
  readonly kind: string;
  readonly channel: string | null;
  readonly chatType: string | null;
  readonly recipient: string | null;
  readonly rule: string;
  readonly reason: string;
  /** Length of the text that did not leave; the text is not repeated. */
  readonly characters: number;
  /** How many were denied since the record before without a record of their own. */
  readonly leftOut: number;
};

interface Hour {
  readonly since: Milliseconds;
  readonly written: number;
  readonly leftOut: number;
  readonly signs: ReadonlySet<string>;
}

/** Decides which denials are recorded, so that a journal does not grow with every sign of typing that was held back. */
export interface DenialLog {
  /** What to record; `null` to record nothing this time. */
  take(delivery: Delivery, decision: Decision, now: Milliseconds): Denial | null;
}

/** Makes the log of one host: at most 100 records an hour and session, and of each sign of life one. */
export function createDenialLog(): DenialLog {
  const hours = new Map<string, Hour>();
  const remember = (sessionId: string, hour: Hour): void => {
    hours.delete(sessionId);
    hours.set(sessionId, hour);
    const [oldest] = hours.keys();
    if (hours.size > mostSessions && oldest !== undefined) hours.delete(oldest);
  };
  return {
    take: (delivery, decision, now) => {
      const hour = currentHour(hours.get(delivery.sessionId), now);
      const { kind, channel, recipient, sessionId } = delivery;
      const sign = JSON.stringify([kind, channel, recipient, decision.rule]);
      if (hour.signs.has(sign) || hour.written >= mostRecords) {
        remember(sessionId, { ...hour, leftOut: hour.leftOut + 1 });
        return null;
      }
      const signs = signsOfLife.includes(kind) ? new Set([...hour.signs, sign]) : hour.signs;
      remember(sessionId, { ...hour, written: hour.written + 1, leftOut: 0, signs });
      return denialOf(delivery, decision, hour.leftOut);
    },
  };
}

/** A clock that was set back begins a new hour. */
function currentHour(hour: Hour | undefined, now: Milliseconds): Hour {
  if (hour !== undefined && now >= hour.since && now - hour.since < hourMs) return hour;
  return { since: now, written: 0, leftOut: hour?.leftOut ?? 0, signs: new Set() };
}

function denialOf(delivery: Delivery, { rule, reason }: Decision, leftOut: number): Denial {
  const { kind, channel, chatType, recipient, text = '' } = delivery;
  return {
    kind,
    channel: channel === null ? null : shortened(channel),
    chatType,
    recipient: recipient === null ? null : shortened(recipient),
    rule: shortened(rule),
    reason: shortened(reason),
    characters: text.length,
    leftOut,
  };
}

function shortened(text: string): string {
  return cutText(text, 0, mostCharacters);
}
