import type { ContextEngine, Draft, Plugin } from '@varve/core';
import { isDraft } from './probe-plugin.ts';

/** The methods of an engine that a host calls while a session is open. */
export type EngineMethod = 'ingest' | 'assemble' | 'compact';

/** One call of a method. */
interface EngineCall {
  readonly method: EngineMethod;
  readonly input: unknown;
  output: unknown;
  /** What it threw; `null` for nothing. */
  error: unknown;
  isSettled: boolean;
  changedInput: boolean;
}

/** What a call is made to do instead of reaching the engine. */
export type Fault = 'throws' | 'hangs' | 'returns nonsense' | 'returns a draft of its own making';

/** An engine that is watched from inside the host. */
export interface EngineProbe {
  readonly plugin: Plugin;
  readonly calls: readonly EngineCall[];
  /** The engines that were made, oldest first, as they are. */
  readonly engines: readonly ContextEngine[];
  /** How often each was disposed of. */
  readonly disposals: ReadonlyMap<ContextEngine, number>;
  readonly disposeErrors: readonly unknown[];
  /** Makes the next assembly fail. */
  failOnce(fault: Fault): void;
}

interface Notes {
  readonly calls: EngineCall[];
  readonly engines: ContextEngine[];
  readonly disposals: Map<ContextEngine, number>;
  readonly disposeErrors: unknown[];
  fault: Fault | null;
}

/** Wraps a plugin so that the engines which it registers are watched, and can be made to fail. */
export function probeEngine(plugin: Plugin): EngineProbe {
  const notes: Notes = { calls: [], engines: [], disposals: new Map(), disposeErrors: [], fault: null };
  const apply: Plugin['apply'] = (context, options) => {
    const registerEngine: typeof context.registerEngine = (id, create) =>
      context.registerEngine(id, () => watchedEngine(create(), notes));
    return plugin.apply({ ...context, registerEngine }, options);
  };
  return {
    ...notes,
    plugin: { ...plugin, apply },
    failOnce: (fault) => {
      notes.fault = fault;
    },
  };
}

function watchedEngine(engine: ContextEngine, notes: Notes): ContextEngine {
  notes.engines.push(engine);
  return {
    info: engine.info,
    ingest: (options) => watched(notes, { method: 'ingest', options }, () => engine.ingest(options)),
    assemble: (options) => {
      const { fault } = notes;
      notes.fault = null;
      const call = fault === null ? () => engine.assemble(options) : () => failAs(fault, options.draft);
      return watched(notes, { method: 'assemble', options }, call);
    },
    compact: (options) => watched(notes, { method: 'compact', options }, () => engine.compact(options)),
    dispose: async () => {
      notes.disposals.set(engine, (notes.disposals.get(engine) ?? 0) + 1);
      try {
        await engine.dispose?.();
      } catch (error) {
        notes.disposeErrors.push(error);
      }
    },
  };
}

async function watched<Result>(
  notes: Notes,
  { method, options }: { readonly method: EngineMethod; readonly options: object },
  run: () => Promise<Result>,
): Promise<Result> {
  const call: EngineCall = {
    ...{ method, input: options, output: undefined, error: null },
    ...{ isSettled: false, changedInput: false },
  };
  notes.calls.push(call);
  const before = snapshotOf(options);
  try {
    const output = await run();
    call.output = output;
    return output;
  } catch (error) {
    call.error = error;
    throw error;
  } finally {
    call.changedInput = snapshotOf(options) !== before;
    call.isSettled = true;
  }
}

async function failAs(fault: Fault, draft: Draft): Promise<Draft> {
  if (fault === 'throws') throw new Error('The testkit makes this call fail.');
  if (fault === 'hangs') return new Promise(() => undefined);
  return fault === 'returns nonsense' ? (42 as never) : { ...draft };
}

/** Everything that an engine could change of what it is handed, as text. */
function snapshotOf(options: object): string {
  const { session, draft, entry, request, budget } = options as {
    readonly session: { messages(): unknown };
    readonly draft?: unknown;
    readonly entry?: unknown;
    readonly request?: { readonly draft: unknown };
    readonly budget?: unknown;
  };
  const drafts = [draft, request?.draft].map((one) => (isDraft(one) ? [one.items, one.layers] : null));
  return JSON.stringify([session.messages(), drafts, entry ?? null, budget ?? null]);
}
