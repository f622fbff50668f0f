import type { Provenance } from '@varve/core';
import { filledStringAt, type JsonObject, objectAt, stringAt } from './json-guards.ts';

/** Models that OpenClaw names where it has put words into the assistant's mouth: sent by a tool, or by the gateway. */
const noticeModels: ReadonlySet<string> = new Set(['delivery-mirror', 'gateway-injected']);

const provenanceKinds: ReadonlyMap<string, Provenance['kind']> = new Map([
  ['external_user', 'user'],
  ['inter_session', 'inter-session'],
  ['internal_system', 'system-event'],
]);

/** True for an assistant's message for which no model was called. */
export function isOpenClawNotice(message: JsonObject): boolean {
  return stringAt(message, 'provider') === 'openclaw' && noticeModels.has(stringAt(message, 'model') ?? '');
}

/** Where OpenClaw says that a user's message came from; `undefined` when it does not. */
export function openClawProvenance(message: JsonObject): Provenance | undefined {
  const given = objectAt(message, 'provenance');
  const kind = provenanceKinds.get(stringAt(given, 'kind') ?? '');
  if (kind === undefined) return undefined;
  const channel = filledStringAt(given, 'sourceChannel');
  const sessionKey = filledStringAt(given, 'sourceSessionKey');
  const tool = filledStringAt(given, 'sourceTool');
  return {
    kind,
    ...(channel === undefined ? {} : { channel }),
    ...(sessionKey === undefined ? {} : { sessionKey }),
    ...(tool === undefined ? {} : { tool }),
  };
}
