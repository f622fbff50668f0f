import type { Plugin } from '@varve/core';
import { assertEqual } from '../assert.ts';
import type { Case, Closable } from '../case.ts';
import { type EngineMethod, type EngineProbe, probeEngine } from '../trial/probe-engine.ts';
import { openTrial, type Trial, type TrialOptions } from '../trial/trial-host.ts';

/** An engine, by the plugin that registers it. */
export interface EngineSubject extends Closable {
  /** Id under which the plugin registers the engine. */
  readonly engine: string;
  /** Makes the plugin anew. */
  plugin(): Plugin;
  /** Plugins that it requires. @default none */
  readonly others?: (() => readonly Plugin[]) | undefined;
}

/** One demand on every engine. */
export type EngineCase = Case<EngineSubject>;

/** A host whose sessions use the engine. */
export interface EngineTrial extends Trial {
  readonly probe: EngineProbe;
}

/** What a case on an engine works with. */
export interface EngineLab {
  readonly subject: EngineSubject;
  /** Makes a host with the engine; it is closed when the case is over. */
  open(options?: Omit<TrialOptions, 'plugins' | 'engine'>): Promise<EngineTrial>;
  /** Makes a host that takes the reference path. */
  openReference(options?: Omit<TrialOptions, 'plugins' | 'engine'>): Promise<Trial>;
}

/** Makes a case on an engine. */
export function onEngine(name: string, why: string, prove: (lab: EngineLab) => Promise<void>): EngineCase {
  const run: EngineCase['run'] = async (open) => {
    const subject = await open();
    const trials: Trial[] = [];
    const keep = <Kept extends Trial>(trial: Kept): Kept => {
      trials.push(trial);
      return trial;
    };
    try {
      await prove({
        subject,
        open: async (options = {}) => {
          const probe = probeEngine(subject.plugin());
          const plugins = [subject.others?.(), probe.plugin];
          return { ...keep(await openTrial({ ...options, plugins, engine: subject.engine })), probe };
        },
        openReference: async (options) => keep(await openTrial({ ...options })),
      });
    } finally {
      await Promise.allSettled(trials.map(({ host }) => host.close()));
    }
  };
  return { name, why, run };
}

/** Checks that no call of the methods threw anything. */
export function assertMethodsWork({ calls }: EngineProbe, methods: readonly EngineMethod[], when: string): void {
  const thrown = calls.flatMap(({ method, error }) =>
    error !== null && methods.includes(method) ? [`${method}: ${String(error)}`] : [],
  );
  assertEqual([...new Set(thrown)].slice(0, 3), [], `what it threw ${when}`);
}
