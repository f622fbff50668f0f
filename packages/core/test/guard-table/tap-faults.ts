import {
  type CompactRequest,
  type ErrorCode,
  type HookContext,
  type HookName,
  hookRules,
  isRefusal,
  type Plan,
  VarveError,
} from '@varve/core';

/** What a faulty tap has at hand beside what core gives it. */
interface FaultMeans {
  /** A sound answer of the hook, made for the value. */
  answer(value: unknown): unknown;
  /** A value of the same hook in another session. */
  readonly foreign: unknown;
  /** Keeps something to do for when the deadline has passed. */
  later(work: () => unknown): void;
}

/** How the run of a hook ends for one of its taps. */
export interface Ending {
  /**
   * `taken`: its answer stands. `unchanged`: it has none and nothing is wrong. `skipped`: it failed, and all is as if it
   * were not there. `refused`: the operation fails with it, and nothing is stored. `denied`: what was asked for is not
   * allowed.
   */
  readonly outcome: 'taken' | 'unchanged' | 'skipped' | 'refused' | 'denied';
  /** What the session's health says of it; `null` for an error that has no code, `undefined` for no finding. */
  readonly code?: ErrorCode | null;
  /** Code of the error that the caller gets. */
  readonly thrown?: ErrorCode;
  /** Time on the clock that it takes. */
  readonly ms: number;
}

/** One way in which a tap can be wrong. */
export interface TapFault {
  readonly name: string;
  /** @default every hook */
  readonly hooks?: readonly HookName[];
  tap(value: unknown, context: HookContext, means: FaultMeans): unknown;
  endsIn(hook: HookName): Ending;
  /** Code of the error that each thing kept for later throws. @default nothing is kept for later */
  readonly late?: ErrorCode;
}

const drafts: readonly HookName[] = ['collect', 'shape', 'fit'];
const never = (): Promise<never> => new Promise(() => undefined);

const failsWith =
  (code: ErrorCode | null): TapFault['endsIn'] =>
  (hook) => {
    const { onFailure } = hookRules[hook];
    if (onFailure === 'fail') return { outcome: 'refused', code, thrown: 'VARVE_PLUGIN_FAILED', ms: 0 };
    return { outcome: onFailure === 'deny' ? 'denied' : 'skipped', code, ms: 0 };
  };
const atDeadline: TapFault['endsIn'] = (hook) => ({
  ...failsWith('VARVE_TAP_TIMEOUT')(hook),
  ms: hookRules[hook].deadlineMs,
});
/** A tap of `beforeCompact` has no answer to give. */
const taken: TapFault['endsIn'] = (hook) => ({ outcome: hook === 'beforeCompact' ? 'unchanged' : 'taken', ms: 0 });
const unchanged: TapFault['endsIn'] = () => ({ outcome: 'unchanged', ms: 0 });
/** What is no answer of the hook; to `beforeCompact` anything is nothing. */
const wrongShape: TapFault['endsIn'] = (hook) => {
  if (hook === 'beforeCompact') return unchanged(hook);
  return failsWith(drafts.includes(hook) ? 'VARVE_DRAFT_FOREIGN' : 'VARVE_PLUGIN_FAILED')(hook);
};

/** An error whose text cannot be had. */
class UnreadableError extends Error {
  override get message(): string {
    throw new Error('no text');
  }
}

/** Every way in which a tap has been seen, or can be thought, to be wrong. */
export const tapFaults: readonly TapFault[] = [
  {
    name: 'throws at once, after a tap that was awaited',
    tap: () => {
      throw new Error('no');
    },
    endsIn: failsWith(null),
  },
  {
    name: 'returns its answer without a promise',
    tap: (value, _, { answer }) => answer(value),
    endsIn: taken,
  },
  { name: 'rejects with undefined', tap: () => Promise.reject(undefined), endsIn: failsWith(null) },
  {
    name: 'throws a text',
    tap: () => {
      throw 'no';
    },
    endsIn: failsWith(null),
  },
  {
    name: 'throws an error that cannot be read',
    tap: () => {
      throw new UnreadableError();
    },
    endsIn: failsWith(null),
  },
  {
    name: 'says that the caller aborted',
    tap: () => Promise.reject(new VarveError('VARVE_ABORTED', 'Not so.', { fix: 'Do not.' })),
    endsIn: failsWith('VARVE_ABORTED'),
  },
  {
    name: 'refuses as only ingest may',
    tap: () => Promise.reject(new VarveError('VARVE_INGEST_REFUSED', 'Not this.', { fix: 'Say it otherwise.' })),
    endsIn: (hook) =>
      hook === 'ingest'
        ? { outcome: 'refused', thrown: 'VARVE_INGEST_REFUSED', ms: 0 }
        : failsWith('VARVE_INGEST_REFUSED')(hook),
  },
  { name: 'never settles', tap: never, endsIn: atDeadline },
  {
    name: 'settles after its deadline',
    tap: (value, _, { answer, later }) => new Promise((resolve) => later(() => resolve(answer(value)))),
    endsIn: atDeadline,
  },
  {
    name: 'settles twice: with its answer, then with nonsense',
    tap: (value, _, { answer }) =>
      // biome-ignore lint/suspicious/noThenProperty: a promise of somebody else's making
      ({ then: (resolve: (value: unknown) => void) => [resolve(answer(value)), resolve(7)] }),
    endsIn: taken,
  },
  {
    name: 'returns a promise whose then cannot be read',
    tap: () =>
      Object.defineProperty({}, 'then', {
        get: () => {
          throw new Error('no then');
        },
      }),
    endsIn: failsWith(null),
  },
  { name: 'returns a number', tap: () => 7, endsIn: wrongShape },
  { name: 'returns null', tap: () => null, endsIn: wrongShape },
  {
    name: 'returns a draft of another session',
    hooks: drafts,
    tap: (_, __, { foreign }) => foreign,
    endsIn: failsWith('VARVE_DRAFT_FOREIGN'),
  },
  {
    name: 'returns a plan for another session',
    hooks: ['compact'],
    tap: (_, __, { foreign }) => foreignPlan(foreign as CompactRequest),
    endsIn: failsWith('VARVE_PLAN_INVALID'),
  },
  {
    name: 'changes what it was given, as far as it can, and says nothing',
    tap: (value) => spoil(value),
    endsIn: unchanged,
  },
  {
    name: 'assigns to what it was given',
    tap: (value) => {
      for (const name of Object.keys(value as object)) Object.assign(value as object, { [name]: undefined });
    },
    endsIn: failsWith(null),
  },
  {
    name: 'calls record after its deadline',
    tap: (_, context, { later }) => {
      later(() => context.record('late', 1));
      return never();
    },
    endsIn: atDeadline,
    late: 'VARVE_TAP_EXPIRED',
  },
  {
    name: 'calls what it took from its context, after its deadline',
    tap: (_, { record, session: { messages } }, { later }) => {
      later(() => record('late', 1));
      later(() => messages());
      return never();
    },
    endsIn: atDeadline,
    late: 'VARVE_TAP_EXPIRED',
  },
  {
    name: 'returns its answer, and calls record when the run is over',
    tap: async (value, { record }, { answer, later }) => {
      later(() => record('late', 1));
      return answer(value);
    },
    endsIn: taken,
    late: 'VARVE_TAP_EXPIRED',
  },
];

function foreignPlan(request: CompactRequest): Plan {
  const plan = request.defaultPlan();
  if (isRefusal(plan)) throw new Error(`The other session has no plan: ${plan.why}`);
  return plan;
}

/** Takes every field away from a value, and from what lies in it, where nothing prevents it. */
function spoil(value: unknown, seen: Set<unknown> = new Set()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const name of Object.keys(value)) {
    spoil(Reflect.get(value, name), seen);
    if (!Reflect.set(value, name, undefined)) Reflect.deleteProperty(value, name);
  }
}
