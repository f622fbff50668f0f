import { VarveError } from '../errors.ts';
import type { Milliseconds } from '../units.ts';
import type { GuardedRun } from './guarded-run.ts';
import type { HookContext } from './hook-context.ts';
import { type ContextGuard, guardedValue, guardedView, readOnly } from './revocable-context.ts';

/** Whose code is called, where it hangs, and how long it may take. */
export interface CalledCode {
  readonly plugin: string;
  /** `shape: cap tool output` for a tap, `assemble` for an engine's method. */
  readonly where: string;
  readonly rule: { readonly deadlineMs: Milliseconds };
}

/**
 * One call of a plugin's code. Its context dies with it: from then on every property but `signal`, and every method that
 * was taken from it or from its session earlier, throws `VARVE_TAP_EXPIRED`; what it was reading is let go of. Made for
 * each tap of each run, so all that hardly any tap looks at is made when it does.
 */
export class GuardedCall implements ContextGuard {
  /** True when the call has ended, or has been given up on. */
  isOver = false;
  /** When the call began, by the host's clock; `null` until somebody asks. */
  startedAt: Milliseconds | null;
  readonly code: CalledCode;
  readonly #run: GuardedRun;
  #seen: Seen | null = null;

  constructor(
    code: CalledCode,
    { run, startedAt }: { readonly run: GuardedRun; readonly startedAt: Milliseconds | null },
  ) {
    this.code = code;
    this.#run = run;
    this.startedAt = startedAt;
  }

  /** What the code is handed. */
  context(): HookContext {
    return new Proxy(this, GuardedCall.#behindIt) as unknown as HookContext;
  }

  /** Takes the context back. */
  end(): void {
    this.isOver = true;
    if (this.#seen === null) return;
    const { readings } = this.#seen;
    for (const reading of readings) void Promise.resolve(reading.return?.()).catch(() => undefined);
    readings.clear();
  }

  /** Ends the call in front of the code, which is told why. */
  giveUp(reason: VarveError): void {
    const seen = this.#look();
    seen.reason = reason;
    this.end();
    seen.controller?.abort(reason);
  }

  /** Until when it must be done. A call that nobody has timed counts from when somebody asks. */
  deadline(): Milliseconds {
    this.startedAt ??= this.#run.clock.now();
    return this.startedAt + this.code.rule.deadlineMs;
  }

  check(): void {
    if (!this.isOver) return;
    const { plugin, where } = this.code;
    throw new VarveError('VARVE_TAP_EXPIRED', `The context of ${plugin}, ${where} was used after its tap had ended.`, {
      fix: 'Keep nothing of the context; take what you need from it while the tap runs.',
    });
  }

  readings(): Set<AsyncIterator<unknown>> {
    return this.#look().readings;
  }

  #look(): Seen {
    this.#seen ??= { source: null, controller: null, reason: null, readings: new Set() };
    return this.#seen;
  }

  #signal(): AbortSignal {
    const seen = this.#look();
    seen.controller ??= new AbortController();
    if (seen.reason !== null) seen.controller.abort(seen.reason);
    return seen.controller.signal;
  }

  #source(): HookContext {
    const seen = this.#look();
    if (seen.source !== null) return seen.source;
    const own = { deadline: this.deadline(), signal: () => this.#signal() };
    const source = this.#run.contextFor(this.code.plugin, own);
    seen.source = Object.assign(source, { session: guardedView(source.session, this) });
    return seen.source;
  }

  #read(name: PropertyKey): unknown {
    if (name === 'signal') return this.#signal();
    this.check();
    return guardedValue(this.#source(), { name, guard: this });
  }

  static readonly #behindIt: ProxyHandler<GuardedCall> = {
    get: (call, name) => (Object.hasOwn(call.#source(), name) ? call.#read(name) : Reflect.get(call.#source(), name)),
    getOwnPropertyDescriptor: (call, name) =>
      Object.hasOwn(call.#source(), name)
        ? { value: call.#read(name), enumerable: true, configurable: true }
        : undefined,
    has: (call, name) => name in call.#source(),
    ownKeys: (call) => Reflect.ownKeys(call.#source()),
    getPrototypeOf: () => Object.prototype,
    ...readOnly,
  };
}

/** What there is of a call whose context has been looked at, or that has been given up on. */
interface Seen {
  source: HookContext | null;
  controller: AbortController | null;
  reason: VarveError | null;
  readonly readings: Set<AsyncIterator<unknown>>;
}
