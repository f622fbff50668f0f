import type { Plugin, PluginFactory, Store } from '@varve/core';
import type {
  AdapterSubject,
  Case,
  EngineSubject,
  ModelPortSubject,
  PluginSubject,
  StoreSubject,
} from '@varve/testkit';
import type { CheckJob, FoundTrial } from './check-job.ts';

/** The packages that the module itself works with. */
export interface Kit {
  readonly core: typeof import('@varve/core');
  readonly testkit: typeof import('@varve/testkit');
  readonly runner: typeof import('@varve/testkit/node');
}

/** A case that is ready to be run. */
interface ReadyCase {
  readonly name: string;
  run(options: { readonly timeoutMs: number; readonly expectFail: CheckJob['expectFail'] }): Promise<{
    readonly status: 'passed' | 'failed' | 'skipped' | 'expected-failure' | 'unexpected-pass';
    readonly reason: string | null;
  }>;
}

/** A contract, with its cases on what the module exports. */
export interface Trial extends FoundTrial {
  readonly ready: readonly ReadyCase[];
}

/** Nothing that can be checked is in the module, or not what was asked for. */
export class NothingToCheck extends Error {
  override readonly name = 'NothingToCheck';
  /** What to do about it. */
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

type Exports = Readonly<Record<string, unknown>>;

/**
 * Finds what a module exports that can be held against a contract: factories of plugins with the engines that they
 * register, functions that open a store or a provider of a model port where these are asked for, and subjects of the
 * testkit.
 *
 * @throws NothingToCheck
 */
export async function findTrials(module: Exports, job: CheckJob, kit: Kit): Promise<readonly Trial[]> {
  const missing = job.exports.find((name) => !Object.hasOwn(module, name));
  if (missing !== undefined) {
    throw new NothingToCheck(
      `It has no export "${missing}".`,
      `It exports: ${Object.keys(module).join(', ') || 'nothing'}.`,
    );
  }
  const chosen = Object.entries(module).filter(([name]) => job.exports.length === 0 || job.exports.includes(name));
  // What is exported under two names, one of them `default`, is one thing.
  const values = [...new Map(chosen.map(([name, value]) => [value, name]))];
  const trials = await Promise.all(values.map(([value, name]) => trialsOf(name, value, { job, kit })));
  const found = trials.flat();
  if (found.length === 0) throw nothingIn(chosen, job);
  return found;
}

interface Surroundings {
  readonly job: CheckJob;
  readonly kit: Kit;
}

async function trialsOf(name: string, value: unknown, { job, kit }: Surroundings): Promise<readonly Trial[]> {
  const { kind, packageName } = job;
  const called = packageName === null ? name : `${packageName} ${name}`;
  if (kind === 'store') return isOpener(value) ? [storeTrial(called, value, kit)] : [];
  if (isModelPortSubject(value))
    return takes('model-port', kind) ? [modelPortTrial(value.modelPort, () => value, kit)] : [];
  if (kind === 'model-port') return isOpener(value) ? [modelPortTrial(called, value, kit)] : [];
  if (isAdapterSubject(value)) return takes('adapter', kind) ? [adapterTrial(value, kit)] : [];
  if (kind === 'adapter') return [];
  if (isEngineSubject(value)) return kind === 'plugin' ? [] : [engineTrial(value, kit)];
  const subject = isFactory(value) ? subjectOf(value, { job, kit }) : isPluginSubject(value) ? value : null;
  if (subject === null) return [];
  const asPlugin = pluginTrial(subject, kit);
  const { engines, failure, areOptionsWrong } = await enginesOf(subject, kit);
  // Every case would say the same.
  if (areOptionsWrong && job.options !== null) {
    throw new NothingToCheck(`The options are not those of "${subject.pluginName}": ${failure}`, 'Correct them.');
  }
  if (kind === 'plugin') return [asPlugin];
  if (kind !== 'engine' || engines.length > 0) return [asPlugin, ...engines];
  const { pluginName } = subject;
  throw failure === null
    ? new NothingToCheck(
        `The plugin "${pluginName}" registers no engine.`,
        'Call registerEngine in apply, or check it with --kind plugin.',
      )
    : new NothingToCheck(
        `The plugin "${pluginName}" does not start: ${failure}`,
        'Correct it, or give it what it needs with --options.',
      );
}

function takes(found: FoundTrial['kind'], asked: CheckJob['kind']): boolean {
  return asked === null || asked === found;
}

function subjectOf(factory: PluginFactory<unknown>, { job, kit }: Surroundings): PluginSubject {
  const { options, rewrites } = job;
  return kit.testkit.pluginSubject(factory, { rewrites, ...(options === null ? {} : { options }) });
}

/** Starts a host with the plugin to see which engines it registers; what fails there, cases on the plugin tell, too. */
async function enginesOf(
  subject: PluginSubject,
  kit: Kit,
): Promise<{ readonly engines: readonly Trial[]; readonly failure: string | null; readonly areOptionsWrong: boolean }> {
  const ids: string[] = [];
  let failure: string | null = null;
  let areOptionsWrong = false;
  const create = (): Plugin => subject.create(subject.options);
  try {
    const plugin = create();
    const apply: Plugin['apply'] = (context, options) => {
      const registerEngine: typeof context.registerEngine = (id, make) => {
        context.registerEngine(id, make);
        ids.push(id);
      };
      return plugin.apply({ ...context, registerEngine }, options);
    };
    const host = await kit.core.createHost({ plugins: [subject.others?.() ?? [], { ...plugin, apply }] });
    await host.close();
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    areOptionsWrong = kit.core.VarveError.is(error, 'VARVE_PLUGIN_OPTIONS');
  }
  const engines = ids.map((engine) => engineTrial({ engine, plugin: create, others: subject.others }, kit));
  return { engines, failure, areOptionsWrong };
}

function pluginTrial(subject: PluginSubject, { testkit, runner }: Kit): Trial {
  return trial(testkit.pluginCases, () => subject, { kind: 'plugin', subject: subject.pluginName, runner });
}

function engineTrial(subject: EngineSubject, { testkit, runner }: Kit): Trial {
  return trial(testkit.engineCases, () => subject, { kind: 'engine', subject: subject.engine, runner });
}

function storeTrial(name: string, open: () => unknown, { testkit, runner }: Kit): Trial {
  const fresh = async (): Promise<StoreSubject> => {
    const opened = await open();
    if (isStoreSubject(opened)) return opened;
    if (!isStore(opened)) throw new Error(`"${name}" returned something that is no store.`);
    return { store: opened, close: () => opened[Symbol.asyncDispose]() };
  };
  return trial(testkit.storeCases, fresh, { kind: 'store', subject: name, runner });
}

// A testkit that is older than these contracts has no cases for them.

function adapterTrial(subject: AdapterSubject, { testkit, runner }: Kit): Trial {
  return trial(testkit.adapterCases ?? [], () => subject, { kind: 'adapter', subject: subject.adapter, runner });
}

function modelPortTrial(name: string, open: () => unknown, { testkit, runner }: Kit): Trial {
  const fresh = async (): Promise<ModelPortSubject> => {
    const opened = await open();
    if (!isModelPortSubject(opened))
      throw new Error(`"${name}" returned something that is no subject of a model port.`);
    return opened;
  };
  return trial(testkit.modelPortCases ?? [], fresh, { kind: 'model-port', subject: name, runner });
}

function trial<Subject extends { readonly close?: (() => void | PromiseLike<void>) | undefined }>(
  cases: readonly Case<Subject>[],
  open: () => Subject | Promise<Subject>,
  { kind, subject, runner }: Pick<FoundTrial, 'kind' | 'subject'> & Pick<Kit, 'runner'>,
): Trial {
  const ready = cases.map((one): ReadyCase => {
    const run: ReadyCase['run'] = async (options) => {
      const { results } = await runner.runCases([one], open, options);
      return results[0] ?? { status: 'failed', reason: 'It gave no result.' };
    };
    return { name: one.name, run };
  });
  return { kind, subject, cases: cases.map(({ name, why }) => ({ name, why })), ready };
}

function nothingIn(values: readonly (readonly [string, unknown])[], { kind, exports }: CheckJob): NothingToCheck {
  const made = values.find(([, value]) => isObject(value) && 'apply' in value && 'madeBy' in value);
  if (made !== undefined) {
    return new NothingToCheck(
      `Its export "${made[0]}" is a plugin that has been made already.`,
      'Export what definePlugin returns, so that it can be made anew for each case.',
    );
  }
  const names = values.map(([name]) => name).join(', ') || 'nothing';
  const what = exports.length === 0 ? `It exports ${names}` : `Its export ${names} is there`;
  if (kind !== null && Object.hasOwn(lacking, kind)) {
    const [missing = '', fix = ''] = lacking[kind as keyof typeof lacking];
    return new NothingToCheck(`${what}, and ${missing}.`, fix);
  }
  return new NothingToCheck(
    `${what}, and nothing that definePlugin returned.`,
    'Export what definePlugin returns; a store is checked with --kind store.',
  );
}

const lacking = {
  store: ['no function that opens a store', 'Export a function without arguments.'],
  adapter: ['no subject of an adapter', 'Export an AdapterSubject of @varve/testkit.'],
  'model-port': ['no subject of a model port', 'Export a function that gives a ModelPortSubject of @varve/testkit.'],
} as const;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFactory(value: unknown): value is PluginFactory<unknown> {
  return typeof value === 'function' && 'pluginName' in value && typeof value.pluginName === 'string';
}

function isPluginSubject(value: unknown): value is PluginSubject {
  return isObject(value) && 'pluginName' in value && 'create' in value && typeof value.create === 'function';
}

function isEngineSubject(value: unknown): value is EngineSubject {
  return isObject(value) && 'engine' in value && 'plugin' in value && typeof value.plugin === 'function';
}

function isAdapterSubject(value: unknown): value is AdapterSubject {
  return isObject(value) && 'adapter' in value && 'judge' in value && typeof value.judge === 'function';
}

function isModelPortSubject(value: unknown): value is ModelPortSubject {
  return isObject(value) && 'modelPort' in value && 'open' in value && typeof value.open === 'function';
}

function isStoreSubject(value: unknown): value is StoreSubject {
  return isObject(value) && 'store' in value && isStore(value.store);
}

function isStore(value: unknown): value is Store {
  return isObject(value) && 'open' in value && typeof value.open === 'function' && 'sessions' in value;
}

/** A function that may be called to open a store; a class or a factory of plugins is none. */
function isOpener(value: unknown): value is () => unknown {
  return typeof value === 'function' && value.length === 0 && !isFactory(value) && !/^class\b/.test(String(value));
}
