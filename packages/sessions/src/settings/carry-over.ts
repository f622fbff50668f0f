import { type JsonValue, type Milliseconds, strictestSend, VarveError } from '@varve/core';
import type { StateOfSession } from '@varve/core/host';

/**
 * When something of a generation goes into the next one: with every reset, with those that somebody asked for alone, with
 * those alone that a policy decided on, or with none.
 */
export type CarryOverRule = 'always' | 'explicit' | 'implicit' | 'never';

/** What somebody asked for, or what a policy decided on. A conversation that begins again after its end is the latter. */
export type ResetKind = 'explicit' | 'implicit';

/** Rules beside those that hold by themselves. */
export interface CarryOverOptions {
  /** By setting. @default `always`: what somebody chose for a conversation is not undone by a clock */
  readonly settings?: Readonly<Record<string, CarryOverRule>> | undefined;
  /** By state slot. @default `never`, but for `subagents`: a state belongs to what was talked about */
  readonly state?: Readonly<Record<string, CarryOverRule>> | undefined;
}

/** What one generation hands on to the next. */
export type Carried = Pick<StateOfSession, 'settings' | 'state'>;

/** Decides what the next generation begins with. */
export interface CarryOver {
  /** What goes from one generation into the next. */
  carry(from: Carried, kind: ResetKind): Carried;
  /**
   * What holds of security at a moment where generations come together, as in a fork or a return: of what they say,
   * whatever forbids something, and for longest; where none does, what the first of them says, whose word is the newest.
   * `null` takes back what the others allow.
   *
   * @throws RangeError  when there is no time to compare with.
   */
  security(all: readonly Pick<Carried, 'settings'>[], now: Milliseconds): Carried['settings'];
}

/** Settings that decide what may leave a conversation, and what may be remembered of it. */
export const securitySettings: readonly string[] = ['send', 'incognito'];

/** Slots of work that goes on, whatever becomes of the conversation. */
const goingOn: Readonly<Record<string, CarryOverRule>> = { subagents: 'always' };

/**
 * Makes the table.
 *
 * @throws VARVE_OPTION_INVALID  for a rule that would lose a security setting.
 */
export function createCarryOver(options: CarryOverOptions = {}): CarryOver {
  const { settings = {}, state = {} } = options;
  const lost = securitySettings.find((name) => Object.hasOwn(settings, name) && settings[name] !== 'always');
  if (lost !== undefined) {
    throw new VarveError('VARVE_OPTION_INVALID', `The setting "${lost}" would be lost by some resets.`, {
      fix: `Leave "${lost}" out of carryOver.settings: it is always carried over.`,
      details: { path: `carryOver.settings.${lost}` },
    });
  }
  const slots = { ...goingOn, ...state };
  return {
    carry: (from, kind) => ({
      settings: chosen(from.settings, (name) => isCarried(ruleOf(settings, name) ?? 'always', kind)),
      state: chosen(from.state, (slot) => isCarried(ruleOf(slots, slot) ?? 'never', kind)),
    }),
    security: (all, now) => {
      const said = securitySettings.flatMap((name) => {
        const values = all.map(({ settings: { [name]: value } }) => value);
        if (values.every((value) => value === undefined)) return [];
        return [[name, name === 'send' ? strictestSend(values, now) : strictestFlag(values)] as const];
      });
      return Object.fromEntries(said);
    },
  };
}

/** Only `true` forbids. */
function strictestFlag(values: readonly (JsonValue | undefined)[]): JsonValue {
  return values.includes(true) || (values[0] ?? null);
}

function ruleOf(rules: Readonly<Record<string, CarryOverRule>>, name: string): CarryOverRule | undefined {
  return Object.hasOwn(rules, name) ? rules[name] : undefined;
}

function isCarried(rule: CarryOverRule, kind: ResetKind): boolean {
  return rule === 'always' || rule === kind;
}

function chosen<Value>(
  all: Readonly<Record<string, Value>>,
  isChosen: (name: string) => boolean,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => isChosen(name)));
}
