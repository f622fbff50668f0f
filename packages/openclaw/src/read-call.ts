import type { PiMessage } from '@varve/adapters/pi';
import { type ModelRef, VarveError } from '@varve/core';
import type { EngineCall, OpenClawLogger } from './openclaw-api.ts';

/** Version of `runtimeSettings` that is read here. */
const knownSettings = 1;

/**
 * Checks what every call of an engine must have.
 *
 * @param name  Of the method.
 * @throws VARVE_OPTION_INVALID  where OpenClaw calls otherwise than the versions that are known here.
 */
export function requireCall(name: string, call: EngineCall): void {
  const { sessionId } = (call ?? {}) as Partial<EngineCall>;
  if (typeof sessionId !== 'string' || sessionId === '') throw unknownContract(name, 'sessionId is no text');
}

/** Checks a list of messages. @throws VARVE_OPTION_INVALID */
export function requireMessages(name: string, messages: readonly PiMessage[]): void {
  if (!Array.isArray(messages)) throw unknownContract(name, 'messages is no list');
  const at = messages.findIndex((message) => typeof message?.role !== 'string');
  if (at !== -1) throw unknownContract(name, `messages.${at} has no role`);
}

/** A call that no version of OpenClaw makes that is known here. */
export function unknownContract(name: string, why: string): VarveError {
  return new VarveError('VARVE_OPTION_INVALID', `OpenClaw has called ${name} in a way that is not known: ${why}.`, {
    fix: 'Use OpenClaw 2026.3 to 2026.9, or a newer version of @varve/openclaw.',
    details: { method: name },
  });
}

/** The model that a call is about; `null` when it does not say. */
export function modelOfCall({ runtimeSettings, ...call }: EngineCall & { readonly model?: string }): ModelRef | null {
  const settings = runtimeSettings?.schemaVersion === knownSettings ? runtimeSettings.model : undefined;
  const named = call.model ?? settings?.resolved ?? undefined;
  if (named === undefined || named === '') return null;
  const provider = settings?.provider ?? 'openclaw';
  return { provider, model: named.startsWith(`${provider}/`) ? named.slice(provider.length + 1) : named };
}

const warned = new WeakSet<object>();

/** Tells once of settings in a version that is not read here: the model and its provider are then unknown. */
export function warnOfSettings({ runtimeSettings }: EngineCall, logger: OpenClawLogger | undefined): void {
  const version = runtimeSettings?.schemaVersion;
  if (version === undefined || version === knownSettings || logger === undefined || warned.has(logger)) return;
  warned.add(logger);
  logger.warn?.(`varve: runtimeSettings of version ${version} are not read; version ${knownSettings} is known.`);
}
