import type { Plugin, PluginFactory } from '@varve/core';
import { assertEqual } from '../assert.ts';
import type { Case, Closable } from '../case.ts';
import { type Probe, probePlugin } from '../trial/probe-plugin.ts';
import { openTrial, type Trial, type TrialOptions } from '../trial/trial-host.ts';

/** What a plugin needs to be tried out. */
export interface PluginTrialOptions {
  /** Options that every trial gives it. @default none: its defaults */
  readonly options?: unknown;
  /** Plugins that it requires. @default none */
  readonly others?: (() => readonly Plugin[]) | undefined;
  /** It changes what is stored, on purpose: cases about stored words are skipped. @default false */
  readonly rewrites?: boolean | undefined;
}

/** A plugin, and what it needs to be tried out. */
export interface PluginSubject extends PluginTrialOptions, Closable {
  /** Name that its factory says it has. */
  readonly pluginName: string;
  /** Makes it out of options. */
  create(options: unknown): Plugin;
}

/** One demand on every plugin. */
export type PluginCase = Case<PluginSubject>;

/** A host with the plugin in it. */
export interface PluginTrial extends Trial {
  readonly probe: Probe;
}

/** How a case makes a host with the plugin. */
interface PluginLabOptions extends Omit<TrialOptions, 'plugins'> {
  /** @default a new one with the options of the subject */
  readonly plugin?: Plugin | undefined;
  /** Whether the probe compares what taps are handed before and after. @default false */
  readonly compares?: boolean | undefined;
}

/** What a case on a plugin works with. */
export interface PluginLab {
  readonly subject: PluginSubject;
  /** Makes a host with the plugin; it is closed when the case is over. */
  open(options?: PluginLabOptions): Promise<PluginTrial>;
  /** Makes a host without it. */
  openReference(options?: Omit<TrialOptions, 'plugins'>): Promise<Trial>;
}

/** The subject that a plugin's factory is. */
export function pluginSubject<Input>(factory: PluginFactory<Input>, options: PluginTrialOptions = {}): PluginSubject {
  return { ...options, pluginName: factory.pluginName, create: (given) => factory(given as Input | undefined) };
}

/** Makes a case on a plugin. */
export function onPlugin(name: string, why: string, prove: (lab: PluginLab) => Promise<void>): PluginCase {
  const run: PluginCase['run'] = async (open) => {
    const subject = await open();
    const trials: Trial[] = [];
    const keep = <Kept extends Trial>(trial: Kept): Kept => {
      trials.push(trial);
      return trial;
    };
    const others = (): readonly Plugin[] => subject.others?.() ?? [];
    try {
      await prove({
        subject,
        open: async ({ plugin = subject.create(subject.options), compares = false, ...options } = {}) => {
          const probe = probePlugin(plugin, { compares });
          return { ...keep(await openTrial({ ...options, plugins: [others(), probe.plugin] })), probe };
        },
        openReference: async (options) => keep(await openTrial({ ...options, plugins: [others()] })),
      });
    } finally {
      await Promise.allSettled(trials.map(({ host }) => host.close()));
    }
  };
  return { name, why, run };
}

/** Makes a case that is skipped for plugins which change what is stored. */
export function onLosslessPlugin(name: string, why: string, prove: (lab: PluginLab) => Promise<void>): PluginCase {
  return {
    ...onPlugin(name, why, prove),
    needs: ({ rewrites = false }) => !rewrites,
    unless: 'it says that it rewrites messages before they are stored',
  };
}

/** Checks that no tap threw anything. */
export function assertNoThrow({ calls }: Probe, when: string): void {
  const thrown = calls.flatMap(({ hook, tap, error }) => (error === null ? [] : [`${hook}: ${tap}: ${String(error)}`]));
  assertEqual([...new Set(thrown)].slice(0, 3), [], `what its taps threw ${when}`);
}
