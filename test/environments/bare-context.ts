import vm from 'node:vm';
import type { PageGlobal, PageReport } from './page-report.ts';

/** What every browser and every edge runtime has, and no more: a bare context has the language alone. */
const webGlobals = {
  AbortController,
  AbortSignal,
  DOMException,
  Event,
  EventTarget,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  btoa,
  clearTimeout,
  crypto,
  performance,
  queueMicrotask,
  setTimeout,
  structuredClone,
};

/**
 * The language's own names, as constants around the bundle: a name that a context has to look up in its global object
 * costs many times as much.
 */
const languageNames = [
  'Array',
  'Boolean',
  'Error',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'Reflect',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'TypeError',
  'WeakMap',
  'WeakSet',
].join();

/** Node 20 gives these to its own code alone; they came to the language after the version of V8 that it has. */
const disposal = "Symbol.dispose ??= Symbol('Symbol.dispose'); Symbol.asyncDispose ??= Symbol('Symbol.asyncDispose');";

/** Runs a bundle of core's tests in a context without `process`, `Buffer`, `require` and every other thing of Node. */
export async function runInBareContext(
  code: string,
  { codeGeneration, seed }: { readonly codeGeneration: boolean; readonly seed: number },
): Promise<PageReport> {
  const context = vm.createContext({ ...webGlobals }, { codeGeneration: { strings: codeGeneration, wasm: false } });
  vm.runInContext(disposal, context);
  const wrapped = `{ const { ${languageNames} } = globalThis;\n${code}\n}`;
  vm.runInContext(wrapped, context, { filename: 'core-tests.js' });
  const { runCoreTests } = context as unknown as PageGlobal;
  return runCoreTests({ seed });
}
