import type { PictureRequest } from '../../src/inspector/session-report.ts';
import { layerNames } from './picture-layers.ts';
import type { ExplainedMessage } from './session-source.ts';

/** A message that two requests treat in different ways; `null` where one did not know it. */
export interface MessageDifference {
  readonly message: ExplainedMessage;
  readonly earlier: ExplainedMessage | null;
  readonly later: ExplainedMessage | null;
}

/** The messages in which two requests differ. */
export function differencesOf(
  earlier: readonly ExplainedMessage[],
  later: readonly ExplainedMessage[],
): readonly MessageDifference[] {
  const before = new Map(earlier.map((message) => [message.seq, message]));
  const differences: MessageDifference[] = [];
  for (const message of later) {
    const other = before.get(message.seq) ?? null;
    if (other === null || other.kind !== message.kind || other.rule !== message.rule || other.by !== message.by) {
      differences.push({ message, earlier: other, later: message });
    }
  }
  return differences;
}

/** The layers in which two requests differ. */
export function layerDifferences(
  earlier: PictureRequest,
  later: PictureRequest,
): readonly { readonly layer: string; readonly earlier: number; readonly later: number }[] {
  return layerNames
    .map((layer) => ({ layer, earlier: earlier.layers[layer], later: later.layers[layer] }))
    .filter((one) => one.earlier !== one.later);
}

/** The smallest byte that changed on the way from one request to another, and in which request. */
export function firstChangeBetween(
  requests: readonly PictureRequest[],
  { from, to }: { readonly from: number; readonly to: number },
): { readonly number: number; readonly byte: number } | null {
  let first: { readonly number: number; readonly byte: number } | null = null;
  for (const { number, firstChangedByte: byte } of requests.slice(from, to)) {
    if (byte !== null && (first === null || byte < first.byte)) first = { number, byte };
  }
  return first;
}
