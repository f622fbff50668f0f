import { deepFreeze } from '../deep-freeze.ts';
import { createDraft, stateOfDraft } from '../draft/draft-operations.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { Milliseconds } from '../units.ts';
import { abortedError, failedError, isThenable, timeoutError } from './call-with-deadline.ts';
import { checkOutput } from './checked-output.ts';
import { DeadlineWatch, shortWaitMs, type Waiting } from './deadline-watch.ts';
import type { DeliveryDecision } from './delivery.ts';
import { deniedByFailure } from './delivery-decision.ts';
import { draftFacts, isDraft } from './draft-facts.ts';
import { GuardedCall } from './guarded-call.ts';
import type { GuardedRun } from './guarded-run.ts';
import type { GuardedTap, HookChain } from './hooks.ts';

/**
 * Runs the taps of a hook, one after the other: each is awaited, bound to its deadline, handed a context that dies with
 * it, checked in what it returns, timed and reported under its plugin's name. The only path into the taps of plugins.
 * Resolves to the waterfall's last value, the bail's first answer, or nothing.
 *
 * @throws VARVE_ABORTED  when the caller aborted; VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED  as the hook's rule says.
 */
export function runTaps(
  chain: HookChain,
  { value, run }: { readonly value: unknown; readonly run: GuardedRun },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    new TapRun(chain, { value, run, resolve, reject }).goOn();
  });
}

/** So many runs of a chain are timed before others are not, and of those one in so many. */
const timedRuns = 64;

const nativeThen = Promise.prototype.then;

/** What hears how taps end. */
interface Listener {
  readonly done: (output: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** A run in the making: where its value comes from, and where it goes. */
interface TapRunOptions {
  readonly value: unknown;
  readonly run: GuardedRun;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One way through a chain, as continuations: taps whose answers are there at once are called in a loop, and behind one
 * that is waited for its answer goes on. Once a tap has been given up on, what it answers reaches nobody.
 *
 * Reading the clock takes as long as calling a tap. So where no tap of a chain has taken longer than a moment for many
 * runs, one is timed only when it asks, or has waited for longer than that: then its deadline counts from there.
 */
class TapRun implements Waiting {
  place = -1;
  readonly #chain: HookChain;
  readonly #options: TapRunOptions;
  readonly #run: GuardedRun;
  #value: unknown;
  /** Number of taps that have been called, or left out. */
  #called = 0;
  /** The newest call; it is waited for while it is not over. */
  #call: GuardedCall | null = null;
  /** When it began, and what was before it ended; `null` while nobody times them. */
  #time: Milliseconds | null;
  /** The value as the taps of a plugin are handed it, that value and that plugin. */
  #input: unknown;
  #inputOf: unknown;
  #inputFor = '';
  /** What hears the answers of taps; another one once a tap has been given up on. */
  #listener: Listener | null = null;
  #isWatched = false;
  #waitedLong = false;
  #cancel: (() => void) | null = null;

  constructor(chain: HookChain, options: TapRunOptions) {
    const { run, value } = options;
    this.#chain = chain;
    this.#options = options;
    this.#run = run;
    this.#value = value;
    const isTimed = chain.quickRuns < timedRuns || chain.quickRuns % timedRuns === 0;
    this.#time = isTimed || run.events.hasListeners('tap-finished') ? run.clock.now() : null;
  }

  /** Calls what is left of the chain, up to the first tap that is waited for. Never throws. */
  goOn(): void {
    try {
      for (let tap = this.#nextTap(); tap !== null; tap = this.#nextTap()) if (!this.#goThrough(tap)) return;
      this.#end();
      this.#options.resolve(this.#chain.rule.kind === 'waterfall' ? this.#value : undefined);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Calls a tap. Gives true when it is done, and the run goes on. */
  #goThrough(tap: GuardedTap): boolean {
    const call = new GuardedCall(tap, { run: this.#run, startedAt: this.#time });
    this.#call = call;
    let output: unknown;
    try {
      output = tap.tap(this.#inputOfTap(tap), call.context());
      if (isThenable(output)) {
        this.#listen(output);
        this.#watch(call);
        return false;
      }
    } catch (error) {
      return this.#failed(tap, error);
    }
    return this.#answered(tap, output);
  }

  /** Goes on behind an answer that is waited for. */
  #listen(output: PromiseLike<unknown>): void {
    this.#listener ??= this.#newListener();
    const { done, failed } = this.#listener;
    // A promise of the language answers once, and never at once; one of somebody else's making may do anything.
    const isOwn = output.then === nativeThen;
    void (isOwn ? output : new Promise((resolve) => resolve(output))).then(done, failed);
  }

  #newListener(): Listener {
    const listener: Listener = {
      done: (output) => {
        if (this.#listener === listener) this.#goOnBehind(output, null);
      },
      failed: (error) => {
        if (this.#listener === listener) this.#goOnBehind(undefined, { error });
      },
    };
    return listener;
  }

  /** Goes on behind a tap that was waited for. Never throws. */
  #goOnBehind(output: unknown, failure: { readonly error: unknown } | null): void {
    const tap = this.#chain.taps[this.#called - 1] as GuardedTap;
    try {
      if (failure === null ? this.#answered(tap, output) : this.#failed(tap, failure.error)) this.goOn();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Checks what a tap answered, and takes it. Gives true when the run goes on. */
  #answered(tap: GuardedTap, output: unknown): boolean {
    this.#call?.end();
    if (output === undefined) return this.#takes(tap, undefined);
    let checked: unknown;
    try {
      checked = checkOutput(output, { hook: tap.hook, input: this.#input, plugin: tap.plugin });
    } catch (error) {
      return this.#failed(tap, error);
    }
    if (!(checked instanceof Promise)) return this.#takes(tap, checked);
    checked.then(
      (one: unknown) => {
        if (this.#takes(tap, one)) this.goOn();
      },
      (error: unknown) => {
        if (this.#failed(tap, error)) this.goOn();
      },
    );
    return false;
  }

  waitsLong(): void {
    this.#waitedLong = true;
    this.#chain.quickRuns = -1;
    this.#time ??= this.#run.clock.now();
    if (this.#call !== null && !this.#call.isOver) this.#giveTime(this.#call);
  }

  /** The next tap that is called: one that keeps failing is left out, where that is the rule. */
  #nextTap(): GuardedTap | null {
    const { taps, rule } = this.#chain;
    const { health, clock } = this.#run;
    for (;;) {
      const tap = taps[this.#called];
      if (tap === undefined) return null;
      this.#called += 1;
      if (rule.onFailure !== 'skip' || health.isSound()) return tap;
      if (health.breakerOf(tap.plugin, tap.where).allows(clock.now())) return tap;
    }
  }

  /**
   * A draft is handed to a tap in the plugin's name, so that each verdict says who gave it; anything else is frozen, so
   * that no tap changes what the next one reads.
   */
  #inputOfTap({ plugin }: GuardedTap): unknown {
    const value = this.#value;
    if (this.#inputOf === value && this.#inputFor === plugin) return this.#input;
    this.#inputOf = value;
    this.#inputFor = plugin;
    this.#input = isDraft(value) ? createDraft({ ...stateOfDraft(value), actor: plugin }) : deepFreeze(value);
    return this.#input;
  }

  /** Takes the answer of a tap. Gives true when the run goes on. */
  #takes({ plugin, hook, name, where, rule }: GuardedTap, output: unknown): boolean {
    const { health, events, clock } = this.#run;
    if (!health.isSound()) health.breakerOf(plugin, where).succeeded();
    let ms = 0;
    if (this.#time !== null) {
      const endedAt = clock.now();
      ms = endedAt - this.#time;
      this.#time = endedAt;
      if (ms > shortWaitMs) this.#chain.quickRuns = -1;
    }
    if (events.hasListeners('tap-finished')) {
      const facts = draftFacts(this.#input, output ?? this.#input);
      events.emit('tap-finished', { plugin, hook, tap: name, ms, ...facts });
    }
    if (output === undefined || rule.kind === 'series') return true;
    this.#value = output;
    if (rule.kind === 'waterfall') return true;
    this.#end();
    this.#options.resolve(output);
    return false;
  }

  /** Notes the failure of a tap, and does what the hook's rule says. Gives true when the run goes on. */
  #failed(tap: GuardedTap, error: unknown): boolean {
    const { signal, health, events, clock } = this.#run;
    const { plugin, hook, name, where, rule } = tap;
    this.#call?.end();
    const isOfCaller = signal?.aborted === true && VarveError.is(error, 'VARVE_ABORTED');
    if (isOfCaller || (hook === 'ingest' && VarveError.is(error, 'VARVE_INGEST_REFUSED'))) return this.#fail(error);
    health.failed(plugin, where, { error, at: clock.now(), skips: rule.onFailure === 'skip' });
    events.emit('plugin-failed', { plugin, hook, tap: name, error: messageOfError(error) });
    if (rule.onFailure === 'fail') return this.#fail(failedError(tap, error));
    if (rule.onFailure === 'deny') this.#value = deniedByFailure(this.#value as DeliveryDecision, { plugin, error });
    if (this.#time !== null) this.#time = clock.now();
    return true;
  }

  #fail(error: unknown): false {
    this.#end();
    this.#options.reject(error);
    return false;
  }

  /** Sees to it that somebody gives up on the call if it is not done in time. */
  #watch(call: GuardedCall): void {
    if (this.#waitedLong && this.#cancel === null) this.#giveTime(call);
    if (this.#isWatched) return;
    this.#isWatched = true;
    const { signal, clock } = this.#run;
    this.#chain.watch ??= new DeadlineWatch(clock);
    this.#chain.watch.add(this);
    if (signal === undefined) return;
    signal.addEventListener('abort', this, { once: true });
    if (signal.aborted) this.handleEvent();
  }

  /** Gives up on the call at its deadline. The timer may be one of a call before it, which was quicker. */
  #giveTime(call: GuardedCall): void {
    const { clock } = this.#run;
    const left = call.deadline() - clock.now();
    if (left <= 0) {
      this.#giveUp(call, timeoutError(call.code));
      return;
    }
    this.#cancel = clock.after(left, () => {
      this.#cancel = null;
      const newest = this.#call;
      if (newest === null || newest.isOver) return;
      if (newest === call) this.#giveUp(call, timeoutError(call.code));
      else this.#giveTime(newest);
    });
  }

  /** The caller aborts. */
  handleEvent(): void {
    if (this.#call !== null && !this.#call.isOver) this.#giveUp(this.#call, abortedError(this.#run.signal));
  }

  #giveUp(call: GuardedCall, error: VarveError): void {
    this.#listener = null;
    call.giveUp(error);
    if (this.#failed(this.#chain.taps[this.#called - 1] as GuardedTap, error)) this.goOn();
  }

  #end(): void {
    this.#chain.quickRuns += 1;
    if (!this.#isWatched) return;
    this.#chain.watch?.remove(this);
    this.#cancel?.();
    this.#run.signal?.removeEventListener('abort', this);
  }
}
