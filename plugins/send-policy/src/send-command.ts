import {
  type Command,
  type CommandReply,
  type Milliseconds,
  type SendOverride,
  sendModeOf,
  sendOverrideInForce,
} from '@varve/core';

/** What a command asks for: nothing that can be done, to be told what holds, or to change it. */
export type SendRequest =
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'show' }
  | { readonly kind: 'set'; readonly override: SendOverride };

const usage =
  'Say /send on, /send off or /send inherit, alone or with how long: /send off for 2h. Nothing was changed.';
const ownerOnly = 'Only the owner may say what leaves this session. Nothing was changed.';

const unitMs: Readonly<Record<string, Milliseconds>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Longer than anybody means; what is meant for ever has no end. */
const longestMs: Milliseconds = 366 * 86_400_000;

/**
 * Reads `/send`, `/send on|off|inherit` and `/send off for 2h`. Of the owner alone: who is not known is not the owner.
 * One other word is somebody's mistake, who is told. `undefined` for what is no such command, as a sentence that begins so.
 */
export function readSendCommand({ name, rest, sender }: Command, now: Milliseconds): SendRequest | undefined {
  if (name !== 'send') return undefined;
  const [word = '', ...behind] = rest.toLowerCase().split(/\s+/);
  const mode = sendModeOf(word);
  if (mode === undefined && word !== '') return behind.length === 0 ? { kind: 'refused', text: usage } : undefined;
  if (sender?.role !== 'owner') return { kind: 'refused', text: ownerOnly };
  if (mode === undefined) return { kind: 'show' };
  if (behind.length === 0) return { kind: 'set', override: { mode, until: null, at: now } };
  const duration = durationOf(behind);
  if (duration === null || mode === 'inherit') return { kind: 'refused', text: usage };
  return { kind: 'set', override: { mode, until: now + duration, at: now } };
}

/** The reply to the owner: what holds from now on. */
export function replyWith(override: SendOverride | null, now: Milliseconds): CommandReply {
  const inForce = sendOverrideInForce(override, now);
  return { text: textOf(inForce), data: { mode: inForce?.mode ?? 'inherit', until: inForce?.until ?? null } };
}

function textOf(inForce: SendOverride | null): string {
  if (inForce === null) return 'The rules decide what leaves this session.';
  const until = inForce.until === null ? 'until you say otherwise' : `until ${new Date(inForce.until).toISOString()}`;
  return inForce.mode === 'allow'
    ? `Everything may leave this session, ${until}.`
    : `Nothing leaves this session, ${until}.`;
}

/** `for 2h`, also `for 2 h`. */
function durationOf([first, ...amount]: readonly string[]): Milliseconds | null {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])$/.exec(amount.join('')) ?? [];
  const ms = Number(count ?? 'NaN') * (unitMs[unit] ?? NaN);
  return first === 'for' && ms > 0 && ms <= longestMs ? ms : null;
}
